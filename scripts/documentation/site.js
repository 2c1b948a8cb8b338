// Search over site/search.json, the menu of narrow windows, and a button that copies code. Nothing comes from other hosts.
const root = document.currentScript.dataset.root;
const box = document.getElementById('search');
const list = document.getElementById('search-results');
let search, chosen = -1;

async function load() {
  if (!search) search = new Search(await (await fetch(root + 'site/search.json')).json());
  return search;
}

function marked(text, words) {
  const fragment = document.createDocumentFragment();
  const low = text.toLowerCase();
  let end = 0;
  while (end < text.length) {
    let next = text.length, length = 0;
    for (const word of words) {
      const at = low.indexOf(word, end);
      if (at >= 0 && at < next) { next = at; length = word.length; }
    }
    fragment.append(text.slice(end, next));
    if (length === 0) break;
    const mark = document.createElement('mark');
    mark.textContent = text.slice(next, next + length);
    fragment.append(mark);
    end = next + length;
  }
  return fragment;
}

function excerpt(entry, words) {
  const places = words.map(word => entry.body.indexOf(word)).filter(at => at >= 0);
  const start = Math.max(0, Math.min(...places, entry.text.length) - 30);
  return (entry.parent ? entry.parent + ' · ' : '') + (places.length ? entry.text.slice(start, start + 110) : entry.text.slice(0, 110) || entry.kind);
}

async function show() {
  const question = box.value.trim();
  chosen = -1;
  if (question === '') return hide();
  const known = await load();
  // Meanwhile more was typed.
  if (question !== box.value.trim()) return;
  const found = known.find(question), words = known.marks(question);
  list.replaceChildren(...found.map((entry, number) => {
    const item = document.createElement('li');
    item.id = 'result-' + number;
    item.setAttribute('role', 'option');
    const link = document.createElement('a');
    link.href = root + entry.path;
    link.tabIndex = -1;
    const small = document.createElement('small');
    small.append(marked(excerpt(entry, words), words));
    link.append(marked(entry.title, words), small);
    item.append(link);
    return item;
  }));
  if (found.length === 0) {
    const item = document.createElement('li');
    item.className = 'none';
    item.textContent = 'Nothing found.';
    list.append(item);
  }
  list.dataset.words = question;
  list.hidden = false;
  box.setAttribute('aria-expanded', 'true');
}

function hide() {
  list.hidden = true;
  box.setAttribute('aria-expanded', 'false');
  box.removeAttribute('aria-activedescendant');
}

function choose(number) {
  const items = [...list.querySelectorAll('[role=option]')];
  if (items.length === 0) return;
  chosen = (number + items.length) % items.length;
  items.forEach((item, at) => item.setAttribute('aria-selected', String(at === chosen)));
  items[chosen].scrollIntoView({ block: 'nearest' });
  box.setAttribute('aria-activedescendant', items[chosen].id);
}

box.addEventListener('input', show);
box.addEventListener('focus', show);
box.addEventListener('keydown', event => {
  if (event.key === 'ArrowDown') choose(chosen + 1);
  else if (event.key === 'ArrowUp') choose(chosen - 1);
  else if (event.key === 'Escape') { hide(); box.blur(); }
  else return;
  event.preventDefault();
});
box.form.addEventListener('submit', async event => {
  event.preventDefault();
  await show();
  const item = list.querySelectorAll('[role=option] a')[Math.max(chosen, 0)];
  if (item) location.href = item.href;
});
document.addEventListener('click', event => { if (!event.target.closest('form')) hide(); });
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input')) return;
  event.preventDefault();
  box.focus();
});

const menu = document.getElementById('menu');
menu.addEventListener('click', () => {
  menu.setAttribute('aria-expanded', String(document.getElementById('contents').classList.toggle('open')));
});

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  block.append(button);
}

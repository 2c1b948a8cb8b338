// Search over site/search.json, the menu of narrow windows, and a button that copies code. Nothing comes from other hosts.
const root = document.currentScript.dataset.root;
const box = document.getElementById('search');
const list = document.getElementById('results');
let entries, chosen = -1;

async function load() {
  if (!entries) {
    const answer = await fetch(root + 'site/search.json');
    entries = (await answer.json()).map(([title, parent, path, text, kind]) =>
      ({ title, parent, path, text, kind, low: title.toLowerCase(), body: text.toLowerCase() }));
  }
  return entries;
}

// Every word must be in the title, the address or the text. The title counts most, its beginning more, and pages before types.
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    const at = entry.low.indexOf(word);
    if (at === 0) sum += 60;
    else if (at > 0) sum += /\W/.test(entry.low[at - 1]) ? 45 : 25;
    else if (entry.kind === 'page' && entry.path.includes(word)) sum += 40;
    else if (entry.body.includes(word)) sum += 8;
    else if (entry.parent.toLowerCase().includes(word)) sum += 6;
    else return 0;
  }
  if (entry.low === words.join(' ')) sum += 80;
  return sum + ({ page: 12, section: 4, article: 6 }[entry.kind] || 0);
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
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  chosen = -1;
  if (words.length === 0) return hide();
  const found = (await load()).map(entry => [score(entry, words), entry]).filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0] || a[1].title.length - b[1].title.length).slice(0, 12);
  list.replaceChildren(...found.map(([, entry], number) => {
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
  list.dataset.words = words.join(' ');
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

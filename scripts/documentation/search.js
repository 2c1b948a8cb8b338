// Finds entries of site/search.json for the words of a question. Knows nothing of the page it is shown on.

// Words that every question has.
const STOP = new Set(`a an and are as at be by can do does for from has have how i if in is it its my of on or so that the them then there this to
  until want was what when where which while why will with you your`.split(/\s+/));
// Words that mean the same here.
const SYNONYMS = [
  ['gps', 'location', 'place', 'coordinates'], ['image', 'picture', 'photo', 'photograph'], ['empty', 'clear', 'remove', 'delete', 'purge'],
  ['limit', 'maximum', 'capacity', 'quota'], ['package', 'dependency'], ['move', 'animate', 'animation', 'play'],
  ['timeout', 'deadline'], ['strip', 'remove'], ['header', 'field'],
];

function stem(word) {
  for (const end of ['ings', 'ing', 'ies', 'ed', 'es', 's', 'e']) {
    if (word.length - end.length >= 3 && word.endsWith(end)) return word.slice(0, -end.length);
  }
  return word;
}

function wordsOf(text) { return text.toLowerCase().match(/[\p{L}\p{N}_.+#-]*[\p{L}\p{N}]/gu) || []; }

// Whether one letter more, less, other, or in the place of its neighbour makes one word of the other.
function isNear(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const rest = (text, skipped) => text.slice(start + skipped);
  return rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1)
    || (a[start] === b[start + 1] && a[start + 1] === b[start] && rest(a, 2) === rest(b, 2));
}

class Search {
  constructor(rows) {
    this.entries = rows.map(([title, parent, path, text, kind]) =>
      ({ title, parent, path, text, kind, low: title.toLowerCase(), body: text.toLowerCase(), above: parent.toLowerCase() }));
    this.vocabulary = new Set();
    for (const entry of this.entries) {
      for (const word of wordsOf(`${entry.title} ${entry.kind === 'page' || entry.kind === 'section' ? entry.text : ''}`)) this.vocabulary.add(word);
    }
  }

  // The words to look for: for each word of the question its stem and those that mean the same; of a word that occurs
  // nowhere those that differ from it by one letter.
  terms(question) {
    let words = wordsOf(question);
    const content = words.filter(word => !STOP.has(word));
    if (content.length > 0) words = content;
    return words.map(word => {
      const base = stem(word);
      const forms = [base];
      for (const group of SYNONYMS) if (group.some(other => stem(other) === base)) forms.push(...group.map(stem));
      const known = this.entries.some(entry => entry.low.includes(base) || entry.body.includes(base));
      if (!known && word.length > 3) forms.push(...[...this.vocabulary].filter(other => isNear(word, other)));
      return [...new Set(forms)];
    });
  }

  // How well an entry has a word. Titles count most, their beginnings more, and a word that was asked for more than one that means the same.
  static weight(entry, forms) {
    let best = 0;
    forms.forEach((form, number) => {
      const at = entry.low.indexOf(form);
      const starts = at === 0 || at > 0 && /[^\p{L}\p{N}]/u.test(entry.low[at - 1]);
      let weight = 0;
      if (at >= 0) weight = starts ? (at === 0 ? 60 : 45) : 25;
      else if (entry.kind === 'page' && entry.path.includes(form)) weight = 40;
      else if (entry.above.includes(form)) weight = 12;
      else {
        const place = entry.body.indexOf(form);
        if (place >= 0) weight = place === 0 || /[^\p{L}\p{N}]/u.test(entry.body[place - 1]) ? 12 : 5;
      }
      best = Math.max(best, weight * (number === 0 ? 1 : 0.8));
    });
    return best;
  }

  // The entries for a question, the best first. Of several words most must be there; a rare word counts more than a common one.
  find(question, count = 12) {
    const terms = this.terms(question);
    if (terms.length === 0) return [];
    const table = terms.map(forms => this.entries.map(entry => Search.weight(entry, forms)));
    const rarity = table.map(row => Math.log(1 + this.entries.length / (1 + row.filter(weight => weight > 0).length)));
    const all = rarity.reduce((sum, value) => sum + value, 0);
    const asked = question.trim().toLowerCase();
    const kinds = { page: 1.15, section: 1.1, article: 1.05, member: 0.9 };
    return this.entries.map((entry, index) => {
      let sum = 0, covered = 0;
      table.forEach((row, term) => {
        if (row[index] === 0) return;
        sum += row[index] * rarity[term];
        covered += rarity[term];
      });
      let points = sum / all * (covered / all) ** 2 * (kinds[entry.kind] || 1);
      if (terms.every(forms => forms.some(form => entry.low.includes(form)))) points *= 1.25;
      // What was is seldom the question.
      if (entry.path.startsWith('changelog')) points *= 0.6;
      if (entry.low === asked) points += 80;
      return [covered / all > 0.5 ? points : 0, entry];
    }).filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0] || a[1].title.length - b[1].title.length)
      .slice(0, count).map(([, entry]) => entry);
  }

  // The forms by which a result is marked.
  marks(question) { return this.terms(question).flat(); }
}

if (typeof module !== 'undefined') module.exports = { Search, isNear, stem };

// The body of a response as a tree: it opens and closes, is searched, and is copied.

const $ = (id) => document.getElementById(id);
const MOST_MATCHES = 1_000;
/** Values that Expand opens; of a longer list, the rest opens one by one. */
const MOST_OPENED = 2_000;
/** By the details of an object or list: how its members are added when it is opened. */
const fillers = new WeakMap();
let root;
let matches = [];
let at = -1;

const isNested = (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function span(className, text) {
  const element = document.createElement('span');
  element.className = className;
  element.textContent = text;
  return element;
}

/** One member: a line, or a line that opens to the members inside. */
function nodeOf(name, value) {
  const item = document.createElement('li');
  const label = name === undefined ? [] : [span('key', name), ': '];
  if (!isNested(value)) {
    item.append(...label, span(typeof value, JSON.stringify(value)));
    return item;
  }
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  const { length } = Object.keys(value);
  const count = Array.isArray(value) ? `[${length}]` : `{${length}}`;
  summary.append(...label, span('quiet', count));
  details.append(summary);
  fillers.set(details, () => {
    const list = document.createElement('ul');
    list.append(...Object.entries(value).map(([key, member]) => nodeOf(key, member)));
    details.append(list);
  });
  details.addEventListener('toggle', () => details.open && fill(details));
  item.append(details);
  return item;
}

function fill(details) {
  fillers.get(details)?.();
  fillers.delete(details);
}

function open(details) {
  fill(details);
  details.open = true;
}

/** Shows a value, opened to its first two levels. */
export function showTree(value) {
  root = value;
  const list = document.createElement('ul');
  const top = nodeOf(undefined, value);
  list.append(top);
  $('answer-tree').replaceChildren(list);
  const details = top.querySelector('details');
  if (details) {
    open(details);
    for (const inner of details.querySelectorAll('details'))
      if (inner.querySelector('.quiet').textContent !== '[0]') openSmall(inner);
  }
  search();
}

/** Long lists stay closed. */
function openSmall(details) {
  const [count] = /\d+/.exec(details.querySelector('summary > .quiet').textContent);
  if (Number(count) <= 12) open(details);
}

/** Finds names and values, and shows the first. */
function search() {
  const query = $('answer-find').value.trim().toLowerCase();
  matches = [];
  at = -1;
  if (query !== '') collect(root, [], query);
  if (matches.length > 0) go(1);
  else mark(undefined);
  const count = matches.length === MOST_MATCHES ? `${MOST_MATCHES} or more` : matches.length;
  $('answer-found').textContent = query === '' ? '' : matches.length === 0 ? 'not found' : `${at + 1} of ${count}`;
}

function collect(value, path, query) {
  for (const [name, member] of Object.entries(value ?? {})) {
    if (matches.length >= MOST_MATCHES) return;
    const own = [...path, name];
    const isValue = !isNested(member) && JSON.stringify(member).toLowerCase().includes(query);
    if (isValue || (!Array.isArray(value) && name.toLowerCase().includes(query))) matches.push(own);
    if (isNested(member)) collect(member, own, query);
  }
}

/** Goes to the next match, or to the one before. */
function go(step) {
  if (matches.length === 0) return;
  at = (at + step + matches.length) % matches.length;
  $('answer-found').textContent = `${at + 1} of ${matches.length}`;
  let place = $('answer-tree').querySelector('li');
  for (const name of matches[at]) {
    const details = place.querySelector(':scope > details');
    open(details);
    place = details.querySelector(':scope > ul').children[indexOf(details, name)];
  }
  mark(place);
}

function indexOf(details, name) {
  const names = [...details.querySelectorAll(':scope > ul > li')].map((item) => item.querySelector('.key').textContent);
  return names.indexOf(name);
}

function mark(place) {
  for (const marked of $('answer-tree').querySelectorAll('.found')) marked.classList.remove('found');
  place?.classList.add('found');
  place?.scrollIntoView({ block: 'nearest' });
}

function expand() {
  const waiting = [...$('answer-tree').querySelectorAll('details')];
  for (let opened = 0; opened < MOST_OPENED && waiting.length > 0; opened += 1) {
    const details = waiting.shift();
    open(details);
    waiting.push(...details.querySelectorAll(':scope > ul > li > details'));
  }
}

function collapse() {
  const [top, ...inner] = $('answer-tree').querySelectorAll('details');
  for (const details of inner) details.open = false;
  if (top) open(top);
}

async function copy() {
  const button = $('answer-copy');
  try {
    await navigator.clipboard.writeText($('answer-body').textContent);
    button.textContent = 'Copied';
  } catch {
    // Browsers block clipboard access without HTTPS, so select the text for copying.
    $('answer-raw').checked = true;
    showForm();
    getSelection().selectAllChildren($('answer-body'));
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1_500);
}

/** Shows the tree, or the text for what is no JSON and if it is asked for. */
function showForm() {
  const isRaw = root === undefined || $('answer-raw').checked;
  $('answer-tree').hidden = isRaw;
  $('answer-text').hidden = !isRaw;
}

/** Shows a body: JSON as a tree, any other text as it is. */
export function showBody(value, text) {
  root = value;
  $('answer-body').textContent = value === undefined ? text || '(no body)' : JSON.stringify(value, null, 2);
  $('answer-tools').hidden = value === undefined && !text;
  if (value === undefined) $('answer-tree').replaceChildren();
  else showTree(value);
  showForm();
}

export function watchTree() {
  $('answer-find').addEventListener('input', search);
  $('answer-find').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(event.shiftKey ? -1 : 1);
  });
  $('answer-expand').addEventListener('click', expand);
  $('answer-collapse').addEventListener('click', collapse);
  $('answer-copy').addEventListener('click', copy);
  $('answer-raw').addEventListener('change', showForm);
}

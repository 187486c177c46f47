import { remoteWords } from './remote-words.js';

const REMOTE = { url: 'https://gw.example.com', keyFile: 'key.json' };

it.each([
  [['supplier', 'list'], undefined, ['supplier', 'list']],
  [['--remote', REMOTE.url, '--key-file', REMOTE.keyFile, 'supplier', 'list'], REMOTE, ['supplier', 'list']],
  [[`--key-file=${REMOTE.keyFile}`, `--remote=${REMOTE.url}`, 'health', '--json'], REMOTE, ['health', '--json']],
  [['incident', 'open', '--remote', 'x'], undefined, ['incident', 'open', '--remote', 'x']],
])('%j', (all, remote, words) => {
  expect(remoteWords(all)).toEqual({ remote, words });
});

it.each([
  [['--remote', REMOTE.url, 'health'], 'belong together'],
  [['--key-file', REMOTE.keyFile, 'health'], 'belong together'],
  [['--remote'], '--remote needs a value'],
  [['--remote=', 'health'], '--remote needs a value'],
])('%j is refused', (all, message) => {
  expect(() => remoteWords(all)).toThrow(message);
});

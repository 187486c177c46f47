/** Where a command runs, if not on this machine, and the words of the command. */
export interface RemoteWords {
  /** Undefined = on this machine. */
  readonly remote: { readonly url: string; readonly keyFile: string } | undefined;
  readonly words: readonly string[];
}

const OPTIONS = ['--remote', '--key-file'] as const;

/** Reads `--remote <url> --key-file <file>` before the command. Throws an Error if only one of them is there, or a value is missing. */
export function remoteWords(all: readonly string[]): RemoteWords {
  const given = new Map<string, string>();
  let at = 0;
  for (;;) {
    const [name = '', inline] = splitOption(all[at] ?? '');
    if (!(OPTIONS as readonly string[]).includes(name)) break;
    const value = inline ?? all[at + 1];
    if (value === undefined || value === '') throw new Error(`${name} needs a value`);
    given.set(name, value);
    at += inline === undefined ? 2 : 1;
  }
  const [url, keyFile] = OPTIONS.map((name) => given.get(name));
  const words = all.slice(at);
  if (url === undefined && keyFile === undefined) return { remote: undefined, words };
  if (url === undefined || keyFile === undefined)
    throw new Error('--remote and --key-file belong together: gw --remote https://host:port --key-file file <command>');
  return { remote: { url, keyFile }, words };
}

function splitOption(word: string): readonly [string, string?] {
  const at = word.indexOf('=');
  return at === -1 || !word.startsWith('--') ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

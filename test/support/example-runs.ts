import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compiled, installSdk } from './installed-sdk.js';

const run = promisify(execFile);

/** How the examples of a language are run. */
export interface ExampleLanguage {
  readonly id: string;
  /** Programs that must be installed. */
  readonly programs: readonly string[];
  /** Whether they have the libraries that the examples use; undefined = they need none. */
  readonly isReady?: () => boolean;
  /** Prepares the code of all examples, by name, in a folder of its own. Throws if it does not compile. */
  readonly prepare: (folder: string, code: Readonly<Record<string, string>>) => Promise<void>;
  /** The program and its arguments that run these, one after the other, each after a line with SEPARATOR and its name. */
  readonly command: (folder: string, names: readonly string[]) => readonly [program: string, words: readonly string[]];
}

/** Begins the line before the output of an example. */
export const SEPARATOR = '@@example ';

const shell = (names: readonly string[], run: (name: string) => string): readonly [string, readonly string[]] => [
  'sh',
  ['-ec', names.map((name) => `echo; echo '${SEPARATOR}${name}'; ${run(name)}`).join('\n')],
];

const written =
  (extension: string): ExampleLanguage['prepare'] =>
  async (folder, code) => {
    for (const [name, text] of Object.entries(code)) writeFileSync(join(folder, `${name}.${extension}`), text);
  };

export const EXAMPLE_LANGUAGES: readonly ExampleLanguage[] = [
  {
    id: 'curl',
    programs: ['curl'],
    prepare: written('sh'),
    command: (folder, names) => shell(names, (name) => `sh '${folder}/${name}.sh'`),
  },
  {
    id: 'typescript',
    programs: [],
    prepare: async (folder, code) => {
      await installSdk(folder);
      // A file without an import is not a module, and could not use `await`.
      const modules = Object.entries(code).map(([name, text]) => [name, `${text}\nexport {};\n`]);
      await written('ts')(folder, Object.fromEntries(modules));
      const problems = await compiled(folder);
      if (problems !== '') throw new Error(problems);
    },
    command: (folder, names) => shell(names, (name) => `'${process.execPath}' '${folder}/${name}.js'`),
  },
  {
    id: 'python',
    programs: ['python3'],
    isReady: () => spawnSync('python3', ['-c', 'import requests']).status === 0,
    prepare: written('py'),
    command: (folder, names) => {
      const run = names.map((name) => `print("\\n${SEPARATOR}${name}"); runpy.run_path("${folder}/${name}.py")`);
      return ['python3', ['-c', `import runpy\n${run.join('\n')}`]];
    },
  },
  {
    id: 'java',
    programs: ['javac', 'java'],
    prepare: async (folder, code) => {
      const names = Object.keys(code);
      const classes = names.map((name) => [name, code[name]?.replace('class Example', `class ${name}`) ?? '']);
      await written('java')(folder, Object.fromEntries(classes));
      const calls = names.map((name) => `System.out.println("\\n${SEPARATOR}${name}"); ${name}.main(words);`);
      await written('java')(folder, {
        All: `class All { public static void main(String[] words) throws Exception { ${calls.join('\n')} } }`,
      });
      await run('javac', ['-d', folder, ...[...names, 'All'].map((name) => join(folder, `${name}.java`))]);
    },
    // In the order in which they were prepared.
    command: (folder) => ['java', ['-XX:TieredStopAtLevel=1', '-cp', folder, 'All']],
  },
  {
    id: 'php',
    programs: ['php'],
    prepare: written('php'),
    command: (folder, names) => shell(names, (name) => `php '${folder}/${name}.php'`),
  },
  {
    id: 'csharp',
    programs: ['mcs', 'mono'],
    prepare: async (folder, code) => {
      writeFileSync(join(folder, 'Examples.cs'), csharpProgram(code));
      await run('mcs', [
        '-langversion:7.2',
        '-r:System.Net.Http.dll',
        `-out:${join(folder, 'examples.exe')}`,
        join(folder, 'Examples.cs'),
      ]);
    },
    command: (folder) => ['mono', [join(folder, 'examples.exe')]],
  },
];

/** Mono's compiler has no statements outside of a class: each example becomes a method. */
function csharpProgram(code: Readonly<Record<string, string>>): string {
  const isUsing = (line: string): boolean => /^using [\w.]+;$/.test(line);
  const lines = Object.values(code).flatMap((text) => text.split('\n').filter(isUsing));
  const methods = Object.entries(code).map(([name, text]) => {
    const body = text.split('\n').filter((line) => !isUsing(line));
    return `static async System.Threading.Tasks.Task ${name}()\n{\n${body.join('\n')}\n}`;
  });
  const calls = Object.keys(code).map((name) => `Console.WriteLine("\\n${SEPARATOR}${name}"); ${name}().Wait();`);
  return `${[...new Set(lines)].join('\n')}
public class Examples
{
${methods.join('\n')}
public static void Main(string[] words)
{
${calls.join('\n')}
}
}`;
}

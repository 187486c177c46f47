import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from './project.js';

const run = promisify(execFile);
const SDK = join(PROJECT, 'packages/sdk');
const TSC = join(PROJECT, 'node_modules/typescript-7/bin/tsc');

/** Makes a folder a package that has the built SDK, and the types of Node, in its node_modules. */
export async function installSdk(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/@forecourt/sdk');
  mkdirSync(join(installed, 'dist'), { recursive: true });
  writeFileSync(join(installed, 'package.json'), readFileSync(join(SDK, 'package.json')));
  symlinkSync(join(PROJECT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await run(process.execPath, [TSC, '-p', SDK, '--outDir', join(installed, 'dist')]);
}

/** Compiles the *.ts of that folder in strict mode; returns what the compiler finds wrong, empty for nothing. */
export async function compiled(folder: string): Promise<string> {
  const types = { target: 'es2023', module: 'nodenext', types: ['node'], lib: ['es2024'], skipLibCheck: true };
  const compilerOptions = { ...types, strict: true, exactOptionalPropertyTypes: true, rootDir: '.' };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const result = await run(process.execPath, [TSC, '-p', folder, '--pretty', 'false']).catch((error) => error);
  return result.stdout;
}

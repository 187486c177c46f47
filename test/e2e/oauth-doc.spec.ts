import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../support/child.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const PAGE = join(PROJECT, 'docs', 'authentication.md');
const MARK = '=====block';

describe('the commands of docs/authentication.md, as printed, run in one shell', () => {
  const running = sharedGateway();
  let printed: ReadonlyMap<string, string> = new Map();

  beforeAll(async () => {
    const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/<!-- test:([\w-]+) -->\s*```sh\n([\s\S]*?)```/g)];
    const script = blocks.map(([, name, commands]) => `printf '\\n${MARK} ${name}\\n'\n${commands}`).join('\n');
    const env = { PATH: process.env.PATH ?? '', DATA_DIR: running().gateway.dataFolder };
    const shell = startChild('bash', ['-c', `set -eu\n${script}`], { cwd: PROJECT, env });
    const code = await shell.exited;
    if (code !== 0) throw new Error(`the commands ended with ${code}:\n${shell.output()}`);
    const parts = shell.output().matchAll(new RegExp(`\\n${MARK} ([\\w-]+)\\n([\\s\\S]*?)(?=\\n${MARK}|$)`, 'g'));
    printed = new Map([...parts].map(([, name = '', text = '']) => [name, text]));
  });

  test.each([
    ['get', /^HTTP\/1\.1 200 [\s\S]*"access_token":"fc_s_demo_demo_[\s\S]*"status":/],
    ['post', /^HTTP\/1\.1 200 [\s\S]*\{"access_token":"fc_s_demo_demo_[^{}]*"expires_in":\d+\}$/],
    ['introspect', /^HTTP\/1\.1 200 [\s\S]*\{"active":true,/],
    ['revoke', /^HTTP\/1\.1 200 [\s\S]*content-length: 0\r/],
  ])('%s answers what the page says', (name, answer) => {
    expect(printed.get(name)).toMatch(answer);
  });
});

import { z } from 'zod';
import type { CommandRun } from './command-run.js';
import { runInGateway } from './control-client.js';
import { type Finding, fine, wrong } from './finding.js';

/** The checks of a gateway take less than a second on an idle machine. */
const MOST_MS = 5_000;

const findings = z.array(
  z.object({
    subject: z.string(),
    ok: z.boolean(),
    found: z.string(),
    since: z.string().optional(),
    todo: z.string().optional(),
  }),
);

/**
 * What the gateway that runs on this configuration's data folder says about its health (`gw health`); undefined if none
 * runs there. A gateway that doesn't answer is a finding. Never rejects.
 */
export async function askGateway(): Promise<readonly Finding[] | undefined> {
  const printed: string[] = [];
  const said: string[] = [];
  const unused = (): never => {
    throw new Error('gw health only prints');
  };
  const run: CommandRun = {
    user: 'gw doctor',
    workingFolder: process.cwd(),
    print: (line) => void printed.push(line),
    tell: (line) => void said.push(line),
    write: unused,
    confirm: unused,
    fail: () => undefined,
    gateway: unused,
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), MOST_MS);
  });
  const code = await Promise.race([runInGateway(['health', '--json'], run), late]);
  clearTimeout(timer);
  if (code === undefined) return undefined;
  if (code === 'late')
    return [wrong('gateway', `does not answer commands within ${MOST_MS / 1_000} s`, 'it hangs: restart it')];
  const parsed = findings.safeParse(jsonOf(printed[0]));
  if (!parsed.success)
    return [wrong('gateway', `can't say how it is: ${said.join(' ') || 'no answer'}`, 'restart it with this version')];
  return [fine('gateway', 'runs and answers commands'), ...parsed.data.map(asFinding)];
}

function asFinding({ since, todo, ...rest }: z.infer<typeof findings>[number]): Finding {
  return { ...rest, ...(since === undefined ? {} : { since }), ...(todo === undefined ? {} : { todo }) };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // Not an answer of `gw health`.
    return undefined;
  }
}

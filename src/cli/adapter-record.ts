import { isUtf8 } from 'node:buffer';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { openTarget } from '../contract-kit/target.js';
import type { SupplierAdapter, SupplierHttpAnswer } from '../model/supplier.js';
import { type Known, leftIn, scrub, secretsIn } from '../privacy/scrub.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { type Plan, planFrom } from './adapter-plan.js';
import { refuseUnlessMeant, runAt, sayFault } from './adapter-try.js';
import { print, tell } from './terminal.js';

/** How `gw adapter record` was called. */
export interface RecordOptions {
  readonly request: string;
  readonly out: string;
  readonly forReal?: boolean;
}

/**
 * Calls the supplier, writes each HTTP body of its answers without secrets and personal data, and reports what was
 * replaced. It also records failures. The answer that opens a session is never written. Throws an Error and writes
 * nothing if a file already exists or personal data remains.
 */
export async function recordAnswer(
  config: SupplierConfig,
  operation: string,
  { request, out, forReal }: RecordOptions,
): Promise<void> {
  const adapter = createAdapter(config);
  const plan = planFrom(request, adapter, config, operation);
  if (config.simulator === undefined || config.url !== undefined) refuseUnlessMeant(plan.operation, forReal);
  const answers = await answersOf(config, adapter, plan);
  if (answers.length === 0) throw new Error("nothing to record: the supplier didn't answer");
  const known = [...secretsIn(config.credentials), ...personalIn(plan.request)];
  const booking = !plan.operation.startsWith('search') && plan.operation !== 'priceCheck';
  const files = answers.map(({ body, status }, index) => {
    // Decoding with the wrong character set could hide a name.
    if (!isUtf8(body))
      throw new Error(
        `nothing was written: answer ${index + 1} is not UTF-8, so it can't be scanned for personal data`,
      );
    const { text, replaced } = scrub(body.toString('utf8'), known, booking);
    const left = leftIn(text, known, booking);
    if (left.length > 0) {
      const kinds = left.join(', ');
      throw new Error(
        `nothing was written: answer ${index + 1} still holds ${kinds} in a format that can't be replaced; repeat the call with fictitious data`,
      );
    }
    return { file: answers.length === 1 ? out : numbered(out, index + 1), text, replaced, status };
  });
  const taken = files.find(({ file }) => existsSync(file));
  if (taken) throw new Error(`nothing was written: ${taken.file} already exists`);
  for (const { file, text, replaced, status } of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const kinds = [...replaced].map(([what, times]) => `${what} × ${times}`).join(', ');
    print(`${file}: HTTP ${status}, ${Buffer.byteLength(text)} bytes; replaced ${kinds || 'nothing'}`);
  }
  tell(
    "Review the file before you commit it. The scan covers the request's data and common fields, not every field of every supplier.",
  );
}

async function answersOf(
  config: SupplierConfig,
  adapter: SupplierAdapter,
  plan: Plan,
): Promise<readonly SupplierHttpAnswer[]> {
  const answers: SupplierHttpAnswer[] = [];
  const target = await openTarget(config, config.url);
  try {
    await runAt(target.url, config, adapter, plan, (answer) => answers.push(answer));
  } catch (error) {
    sayFault(error);
  } finally {
    await target.close();
  }
  return answers;
}

/** answer.json, 2 → answer.2.json */
function numbered(file: string, number: number): string {
  const { dir, name, ext } = parse(file);
  return `${dir === '' ? '' : `${dir}/`}${name}.${number}${ext}`;
}

/** Sample values for personal data in a request, by field name. */
const SAMPLES: Readonly<Record<string, readonly [what: string, sample: string]>> = {
  firstName: ['first name', 'Ada'],
  lastName: ['last name', 'Sample'],
  email: ['email', 'ada@example.com'],
  phone: ['phone', '+16175550100'],
  dateOfBirth: ['birth date', '1980-01-01'],
  holder: ['name', 'Ada Sample'],
  remark: ['remark', 'A remark'],
  voucher: ['voucher', 'V0000000'],
};
const NUMBERS: Readonly<Record<string, readonly [what: string, sample: string]>> = {
  licence: ['licence', 'D0000000'],
  loyalty: ['membership', 'M0000000'],
  card: ['card', '4111111111111111'],
};

/** All personal data in a request, at any depth. */
function personalIn(request: unknown, under = ''): readonly Known[] {
  if (Array.isArray(request)) return request.flatMap((one) => personalIn(one, under));
  if (typeof request !== 'object' || request === null) return [];
  return Object.entries(request).flatMap(([name, value]) => {
    const [what, sample] = (name === 'number' ? NUMBERS[under] : SAMPLES[name]) ?? [];
    if (typeof value === 'string' && what !== undefined && sample !== undefined && value.trim() !== '')
      return [{ what, text: value, sample }];
    if (name === 'lines' && Array.isArray(value)) {
      return value
        .filter((line) => typeof line === 'string')
        .map((text) => ({ what: 'address', text, sample: '1 Sample Street' }));
    }
    return personalIn(value, name);
  });
}

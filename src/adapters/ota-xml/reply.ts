import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type Warning, Warnings } from '../../model/warnings.js';
import { readXmlAnswer } from '../xml/read-xml.js';
import { type EmptyShape, isOtherVersion, judgeEmpty } from './empty-answers.js';
import { type ErrorReason, errorReason, type SearchOutcome, searchOutcome } from './errors.js';
import { faultMeaning, refuseCredentialFault } from './soap-fault.js';
import { codeAttribute } from './table.js';
import { ANY_NUMBER, attribute, child, items, textOf, type XmlNode } from './wire.js';

/** A supplier's answer: the OTA message without its SOAP envelope; `root` is absent if nothing was found. */
export interface Reply {
  readonly root?: XmlNode;
  /** Its Warnings, its Errors that came with data, and what is doubtful about an empty one. */
  readonly warnings: readonly Warning[];
}

export interface ReplyExpectation {
  /** Name of the expected message: OTA_VehAvailRateRS. */
  readonly message: string;
  /** Whether the message has the requested data. */
  readonly hasData: (root: XmlNode) => boolean;
  readonly errorCodes: Readonly<Record<string, ErrorReason>>;
  /** What the message may contain without results. */
  readonly emptyShape: EmptyShape;
  /** The namespace of this supplier's messages; '' for none. */
  readonly namespace: string;
}

/**
 * Reads the answer to a search: data, nothing found (no root), or SupplierError. HTTP 401 and 403 are `auth`, 429
 * `throttled`, 5xx `unavailable` unless a SOAP fault refuses the credentials; the codes of OTA Errors decide for a 4xx,
 * and those of a SOAP fault for any other status below 500 (soap-fault.ts). Warnings that are really failures
 * (docs/trade.md#late-failures) count if there is no data. A message without Success, Errors and data is `bad_payload`,
 * and so is a Success with content that is not understood.
 */
export function readReply(answer: SupplierHttpAnswer, expected: ReplyExpectation): Reply {
  const { status } = answer;
  if (status === 401 || status === 403) throw new SupplierError('auth', `HTTP ${status}`);
  if (status === 429) throw new SupplierError('throttled', 'HTTP 429');
  if (status >= 500) {
    refuseCredentialFault(answer);
    throw new SupplierError('unavailable', `HTTP ${status}`);
  }
  if (status < 200 || status >= 300) return readRefusal(answer, expected);
  return readMessage(messageOf(answer), expected);
}

function readRefusal(answer: SupplierHttpAnswer, expected: ReplyExpectation): Reply {
  let root: XmlNode;
  try {
    root = messageOf(answer);
  } catch (error) {
    if (error instanceof SupplierError && error.fault !== 'bad_payload') throw error;
    throw new SupplierError('rejected', `HTTP ${answer.status} without an OTA message`, true, { cause: error });
  }
  const errors = items(root, 'Errors', 'Error', ANY_NUMBER);
  if (errors.length === 0) throw new SupplierError('rejected', `HTTP ${answer.status} without Errors`);
  return failedReply(errors, expected);
}

function readMessage(root: XmlNode, expected: ReplyExpectation): Reply {
  const errors = items(root, 'Errors', 'Error', ANY_NUMBER);
  if (root.name !== expected.message) {
    if (errors.length > 0) return failedReply(errors, expected);
    throw new SupplierError('bad_payload', `expected ${expected.message}, got ${root.name}`);
  }
  const warnings = items(root, 'Warnings', 'Warning', ANY_NUMBER);
  const notices = new Warnings();
  if (expected.hasData(root)) {
    for (const node of [...errors, ...warnings]) notices.add('notice', describe(node));
    if (isOtherVersion(root, expected.namespace)) notices.add('contradiction', `${root.name} in an unknown namespace`);
    return { root, warnings: notices.list };
  }
  if (errors.length > 0) return failedReply(errors, expected);
  if (!child(root, 'Success'))
    throw new SupplierError('bad_payload', `${root.name} has neither Success nor Errors nor data`);
  const failures = warnings.filter((warning) => isFailure(warning, expected));
  if (failures.length > 0) return failedReply(failures, expected);
  for (const node of warnings) notices.add('notice', describe(node));
  judgeEmpty(root, expected.emptyShape, expected.namespace, notices);
  return { warnings: notices.list };
}

/** An advisory (type 11) or an unknown warning does not turn an empty answer into a failure. */
function isFailure(warning: XmlNode, expected: ReplyExpectation): boolean {
  if (codeAttribute(warning, 'Type', 'EWT') === '11') return false;
  return reasonOf(warning, expected) !== undefined;
}

/** Errors that a message quotes. */
const MOST_TEXTS = 10;

const MOST_SERIOUS_FIRST: readonly SearchOutcome[] = ['auth', 'throttled', 'unavailable', 'rejected', 'empty'];

/** The most serious of several errors decides: the answer is empty only if all of them mean that. */
function failedReply(errors: readonly XmlNode[], expected: ReplyExpectation): Reply {
  const outcomes = new Set(errors.map((error) => searchOutcome(reasonOf(error, expected))));
  const outcome = MOST_SERIOUS_FIRST.find((candidate) => outcomes.has(candidate)) ?? 'rejected';
  const texts = errors.slice(0, MOST_TEXTS).map(describe);
  if (outcome === 'empty') return { warnings: [] };
  throw new SupplierError(outcome, texts.join('; '));
}

function reasonOf(error: XmlNode, expected: ReplyExpectation): ErrorReason | undefined {
  return errorReason(attribute(error, 'Type'), attribute(error, 'Code'), expected.errorCodes);
}

function describe(error: XmlNode): string {
  const text = attribute(error, 'ShortText') ?? textOf(error) ?? 'no text';
  return `${error.name} type ${attribute(error, 'Type') ?? '?'} code ${attribute(error, 'Code') ?? '?'}: ${text}`.slice(
    0,
    300,
  );
}

function messageOf(answer: SupplierHttpAnswer): XmlNode {
  const content = contentOf(answer);
  if (content.name === 'Fault') throw new SupplierError(faultMeaning(content), `SOAP fault: ${faultText(content)}`);
  return content;
}

/**
 * The OTA message or SOAP Fault of an answer; unwraps an envelope of any namespace (suppliers use old drafts,
 * docs/trade.md#old-namespaces). Throws SupplierError `bad_payload` for anything else.
 */
export function contentOf(answer: SupplierHttpAnswer): XmlNode {
  const root = readXmlAnswer(answer);
  if (root.name !== 'Envelope') return root;
  const content = child(root, 'Body')?.children[0];
  if (!content) throw new SupplierError('bad_payload', 'SOAP envelope without content');
  return content;
}

function faultText(fault: XmlNode): string {
  const text = textOf(child(fault, 'faultstring')) ?? textOf(child(child(fault, 'Reason'), 'Text'));
  return (text ?? 'no text').slice(0, 300);
}

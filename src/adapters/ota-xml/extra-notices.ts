import type { ExtraNotice } from '../../model/bookings.js';
import { type ErrorReason, errorReason } from './errors.js';
import { codeAttribute } from './table.js';
import { attribute, type XmlNode } from './wire.js';

type Codes = readonly [from: number, to: number];

/** EQP codes by the ERR codes about them (2024-09): a code for child seats in general may mean a seat of any size. */
const EQUIPMENT_BY_CODE: readonly (readonly [equipment: readonly string[], codes: readonly Codes[]])[] = [
  [['7', '8', '9', '57'], [[460, 465]]],
  [['12'], [[466, 471]]],
  [['11'], [[472, 477]]],
  [['4', '35', '36', '48'], [[478, 483]]],
  [['47'], [[484, 489]]],
  [['29'], [[490, 495]]],
  [['9', '57'], [545, 547, 549, 551, 553, 555].map((code) => [code, code] as const)],
  [['7'], [546, 548, 550, 552, 554, 556].map((code) => [code, code] as const)],
  [['14'], [[701, 706]]],
];

/** "Cannot guarantee special equipment or car type". */
const NOT_GUARANTEED = '307';

const STATUSES: Readonly<Partial<Record<ErrorReason, ExtraNotice['status']>>> = {
  extra_on_request: 'on_request',
  extra_not_available: 'not_booked',
};

/** What the Warnings beside a reservation say of its extras, by their codes. */
export function extraNotices(
  warnings: readonly XmlNode[],
  errorCodes: Readonly<Record<string, ErrorReason>>,
): readonly ExtraNotice[] {
  return warnings.flatMap((warning) => {
    const reason = errorReason(attribute(warning, 'Type'), attribute(warning, 'Code'), errorCodes);
    const status = reason && STATUSES[reason];
    if (!status) return [];
    const code = codeAttribute(warning, 'Code', 'ERR');
    const [codes] = EQUIPMENT_BY_CODE.find(([, rows]) => rows.some((row) => isIn(row, Number(code)))) ?? [];
    return [{ status: code === NOT_GUARANTEED ? 'on_request' : status, ...(codes && { codes }) }];
  });
}

function isIn([from, to]: Codes, code: number): boolean {
  return code >= from && code <= to;
}

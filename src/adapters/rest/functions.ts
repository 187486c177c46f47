/** Whether a function can be called with these arguments, as far as its failure would be usual. */
type Accepts = (args: readonly unknown[]) => boolean;

const anything: Accepts = () => true;
const text: Accepts = ([first]) => typeof first === 'string';
const texts: Accepts = ([first, second]) => typeof first === 'string' && typeof second === 'string';
const textOrList: Accepts = ([first]) => typeof first === 'string' || Array.isArray(first);
const list: Accepts = ([first]) => Array.isArray(first);
const object: Accepts = ([first]) => isObject(first);
const lists: Accepts = (args) => args.every((arg) => Array.isArray(arg));
const objects: Accepts = (args) => args.every(isObject);

/**
 * Functions that expressions may call, all of which run in linear time (sorting: almost). None of them computes, pads
 * or produces text longer than its arguments: amounts are copied, never added up.
 */
export const FUNCTIONS: ReadonlyMap<string, Accepts> = new Map<string, Accepts>([
  ['contains', textOrList],
  ['ends_with', texts],
  ['starts_with', texts],
  ['items', object],
  [
    'join',
    ([glue, parts]) =>
      typeof glue === 'string' && Array.isArray(parts) && parts.every((part) => typeof part === 'string'),
  ],
  ['keys', object],
  ['length', ([first]) => typeof first === 'string' || Array.isArray(first) || isObject(first)],
  ['lower', text],
  ['map', ([, second]) => Array.isArray(second)],
  ['merge', objects],
  ['not_null', anything],
  ['reverse', textOrList],
  ['sort', list],
  ['sort_by', list],
  ['split', texts],
  ['to_array', anything],
  ['to_number', anything],
  ['to_string', anything],
  ['trim', text],
  ['type', anything],
  ['upper', text],
  ['values', object],
  ['zip', lists],
]);

/** Thrown for an argument of the wrong type, such as one that is absent. The library makes an error each time, which takes about 100 times as long. */
export const INVALID_ARGUMENT = new Error('a function got an argument of the wrong type');

/** How much more work than others some functions have with a text, of which they read each character on its own, or with a list. */
const WITH_TEXT: ReadonlyMap<string, number> = new Map([
  ['length', 32],
  ['reverse', 32],
]);
const WITH_LIST: ReadonlyMap<string, number> = new Map([
  ['sort', 8],
  ['sort_by', 8],
]);
/** The work for an element of a list or a member of an object; that for a character of a text is 1. */
const ELEMENT = 64;

/** An interpreter whose functions throw INVALID_ARGUMENT, and call `spend` with the work that they do (expression.ts). */
export function refusing<T extends { readonly runtime: { callFunction: (name: string, args: never[]) => unknown } }>(
  interpreter: T,
  spend: (work: number) => void,
): T {
  const { runtime } = interpreter;
  const call = runtime.callFunction.bind(runtime);
  runtime.callFunction = (name, args) => {
    if (!FUNCTIONS.get(name)?.(args)) throw INVALID_ARGUMENT;
    for (const arg of args) spend(workOf(arg) * ((typeof arg === 'string' ? WITH_TEXT : WITH_LIST).get(name) ?? 1));
    const result = call(name, args);
    spend(workOf(result));
    return result;
  };
  return interpreter;
}

/** The work of reading a value, without what is inside its elements. */
function workOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.length * ELEMENT;
  return typeof value === 'object' && value !== null ? Object.keys(value).length * ELEMENT : 0;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

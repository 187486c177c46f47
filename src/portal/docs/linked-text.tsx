import { causes } from '../../status/causes.js';
import { reasons } from '../../status/reasons.js';

const WORDS = new RegExp(
  `\\b(${[...Object.keys(reasons), ...Object.keys(causes)].filter((word) => word.includes('_')).join('|')}|timeout|throttled|maintenance|required)\\b`,
);

/** A text in which the names of reasons link to the errors page, and the names of causes to the reason that has them. */
export function WithReasons({ text }: { text: string }) {
  const parts = text.split(WORDS);
  return (
    <>
      {parts.map((part, at) => {
        const reason = part in reasons ? part : causes[part as keyof typeof causes]?.reason;
        if (at % 2 === 0 || reason === undefined) return part;
        return (
          <a key={`${at}`} href={`/docs/errors#${reason}`}>
            <code>{part}</code>
          </a>
        );
      })}
    </>
  );
}

/** A text in which backticks mark code. */
export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

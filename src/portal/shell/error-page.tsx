import type { Visitor } from '../../accounts/sessions.service.js';
import { type Page, page } from './page.js';

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
};

/** Where a reader of a page that doesn't exist probably wants to go. */
const PLACES = [
  ['/', 'Start page'],
  ['/docs', 'Documentation'],
  ['/console', 'Console'],
  ['/applications', 'Your applications'],
  ['/status', 'Status'],
] as const;

/** A page that explains an error. The reader can quote `requestId` to support. */
export function errorPage(status: number, text: string, requestId: string, visitor?: Visitor): Page {
  const title = TITLES[status] ?? (status < 500 ? 'Invalid request' : 'Something went wrong');
  return page(
    { title, visitor, status },
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <ul class="links">
        {(status === 404 ? PLACES : PLACES.slice(0, 1)).map(([path, name]) => (
          <li key={path}>
            <a href={path}>{name}</a>
          </li>
        ))}
      </ul>
      <p class="quiet">
        Request <code>{requestId}</code>
      </p>
    </>,
  );
}

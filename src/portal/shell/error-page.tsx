import type { Visitor } from '../../accounts/sessions.service.js';
import { type Page, page } from './page.js';

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
};

/** A page that explains an error. The reader can quote `requestId` to support. */
export function errorPage(status: number, text: string, requestId: string, visitor?: Visitor): Page {
  const title = TITLES[status] ?? (status < 500 ? 'Invalid request' : 'Something went wrong');
  return page(
    { title, visitor, status },
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      <p class="quiet">
        Request <code>{requestId}</code>. <a href="/">Go to the start page</a>
      </p>
    </>,
  );
}

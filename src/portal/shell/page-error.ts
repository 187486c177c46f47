/** Ends the making of a page: PageErrorFilter shows it. 404 without text = there is no such page. */
export class PageError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 503,
    /** For the reader: what happened and what to do next. */
    text = 'There is no such page.',
    readonly headers: Readonly<Record<string, string>> = {},
    /** Where to go instead, with 303. */
    readonly location?: string,
  ) {
    super(text);
    this.name = 'PageError';
  }

  /** To the login page, and back to `next` (a path of ours) after it. */
  static login(next: string | undefined): PageError {
    const query = next === undefined ? '?notice=session_over' : `?next=${encodeURIComponent(next)}`;
    return new PageError(403, 'Log in first.', {}, `/login${query}`);
  }
}

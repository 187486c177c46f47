/** Stops rendering a page; PageErrorFilter shows it as an error page. A 404 has a default text. */
export class PageError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 503,
    /** Shown to the reader: what happened and what to do next. */
    text = "This page doesn't exist.",
    readonly headers: Readonly<Record<string, string>> = {},
    /** Redirect target (303). */
    readonly location?: string,
  ) {
    super(text);
    this.name = 'PageError';
  }

  /**
   * Redirects to the login page, which leads back to the local path `next`. Without it, a form was refused because the session expired; then
   * it leads back to `formPage`, the page with the form, if that is known.
   */
  static login(next: string | undefined, formPage?: string): PageError {
    const back = formPage === undefined ? '' : `&next=${encodeURIComponent(formPage)}`;
    const query = next === undefined ? `?notice=session_over${back}` : `?next=${encodeURIComponent(next)}`;
    return new PageError(403, 'Log in first.', {}, `/login${query}`);
  }
}

const NOTICES: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  subscribed: 'Subscribed. Live tokens of this application may call the product from now on.',
  unsubscribed: 'The subscription is ended. Calls of the product are answered 403 from now on.',
  revoked: 'The secret is revoked and all tokens of the application are ended. Get new tokens with another secret.',
  suspended: 'The application is suspended: its tokens are ended, and it gets no new ones until you resume it.',
  resumed: 'The application is active again. Get new tokens: the earlier ones stay ended.',
  deleted: 'The application is deleted.',
  launch_requested: 'Your request is sent. You get a mail when it is decided.',
  launch_approved: 'Approved. The production application is made and its owner is written to.',
  launch_refused: 'Refused. The developer is written to.',
};

/** What a page says above its content of what was just done, by the code in `?notice=`; undefined for an unknown one. */
export function noticeText(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
}

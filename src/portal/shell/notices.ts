const NOTICES: Readonly<Record<string, string>> = {
  verified: 'Your account is active. Log in to go on.',
  password_set: 'Your new password is set, and every session of the account has ended. Log in with it.',
  session_over: 'Your session is over. Log in to go on.',
  logged_out: 'You are logged out.',
  logged_out_everywhere: 'You are logged out here and everywhere else.',
  name_changed: 'Your name is changed.',
  password_changed: 'Your password is changed. Sessions elsewhere have ended.',
  saved: 'Saved.',
  subscribed: 'Subscribed. Live tokens of this application may call the product from now on.',
  subscribed_all: 'Subscribed. Live tokens of this application may call all these products from now on.',
  unsubscribed: 'The subscription is ended. Calls of the product are answered 403 from now on.',
  revoked: 'The secret is revoked and all tokens of the application are ended. Get new tokens with another secret.',
  suspended: 'The application is suspended: its tokens are ended, and it gets no new ones until you resume it.',
  resumed: 'The application is active again. Get new tokens: the earlier ones stay ended.',
  deleted: 'The application is deleted.',
  launch_requested: 'Your request is sent. You get a mail when it is decided.',
  launch_approved: 'Approved. The production application is made and its owner is written to.',
  launch_refused: 'Refused. The developer is written to.',
};

/** What a page says above its content of what was just done, by the code in `?notice=`; undefined for none and for codes nobody gave out. */
export function noticeOf(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
}

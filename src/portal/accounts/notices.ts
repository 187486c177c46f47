const NOTICES: Readonly<Record<string, string>> = {
  verified: 'Your account is active. Log in to go on.',
  password_set: 'Your new password is set, and every session of the account has ended. Log in with it.',
  session_over: 'Your session is over. Log in to go on.',
  logged_out: 'You are logged out.',
  logged_out_everywhere: 'You are logged out here and everywhere else.',
  name_changed: 'Your name is changed.',
  password_changed: 'Your password is changed. Sessions elsewhere have ended.',
};

/** What was just done, by the code in `?notice=`; undefined for none and for codes nobody gave out. */
export function noticeOf(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
}

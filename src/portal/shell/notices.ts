const NOTICES: Readonly<Record<string, string>> = {
  verified: 'Your account is active. Log in to continue.',
  password_set: 'Your password was reset and all sessions were logged out. Log in with the new password.',
  password_set_revoked:
    'Your password was reset, all sessions were logged out, and all client secrets and tokens of your applications were revoked. Log in with the new password.',
  session_over: 'Your session expired. Log in to continue.',
  account_deleted: 'Your account and its applications were deleted.',
  logged_out: "You're logged out.",
  logged_out_everywhere: "You're logged out on all devices.",
  name_changed: 'Your name was changed.',
  password_changed: 'Your password was changed. Your sessions on other devices were logged out.',
  factor_needed: 'Operators need two-factor authentication. Set it up to open the operator pages.',
  factor_off: 'Two-factor authentication is off.',
  saved: 'Changes saved.',
  subscribed: "Subscribed. This application's tokens can now call the product.",
  subscribed_all: "Subscribed. This application's tokens can now call these products.",
  unsubscribed: 'Unsubscribed. Calls to this product now return 403.',
  secret_created: 'Secret created. The page shows when the existing secrets expire.',
  secret_replaced: 'Secret created. The existing secrets expired.',
  revoked: 'The secret and the tokens issued with it were revoked. Tokens of other secrets stay valid.',
  suspended: "The application is suspended. Its tokens were revoked, and it can't get new ones until you resume it.",
  resumed: 'The application is active again. Get a new token: the earlier ones stay revoked.',
  deleted: 'The application was deleted.',
  webhook_active: 'The endpoint is active. Events that were waiting are sent now.',
  webhook_disabled: 'The endpoint is disabled. Events that happen now are not kept for it.',
  webhook_deleted: 'The endpoint was deleted with its events.',
  webhook_test: 'A test event is queued. It appears below once it is sent.',
  webhook_replayed: 'The event is queued again, with the same webhook-id.',
  application_suspended: 'The application is suspended, and its tokens were revoked. Only operators can resume it.',
  limits_set: 'The limits are set. They apply to existing tokens as well.',
  application_resumed: 'The application is active again.',
  supplier_switched: 'The state was changed. Every gateway applies it within seconds.',
  reservation_resolved: 'The outcome was recorded. The caller sees it in the history of the reservation.',
  certification_begun: 'A new certification began. Only requests from now on count.',
  access_requested: "Request sent. We'll email you the decision.",
  access_approved: 'Approved. The owner of the production application will get an email.',
  access_rejected: 'Rejected. The developer will get an email.',
};

/** The notice above a page for the code in `?notice=`, which reports what was just done; undefined for an unknown code. */
export function noticeOf(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
}

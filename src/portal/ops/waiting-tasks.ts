import { several } from './diagnosis-text.js';
import { type Task, task } from './supplier-tasks.js';
import type { Waiting } from './waiting.service.js';

/** With fewer days left, a key is urgent, as certificates are. */
const URGENT_DAYS = 3;
/** After this time, keys that encrypt stored data should be replaced. */
const OLD_KEY_DAYS = 365;

/** What waits for a person, apart from suppliers. `isDeciding`: whether the visitor decides about access requests. */
export function waitingTasks(counts: Waiting, isDeciding: boolean): readonly Task[] {
  const { review, reviewMinutes, late, unresolved, second, mail, requested, secrets, endpoints, undelivered } = counts;
  return [
    ...task(
      review,
      'bad',
      'In review',
      `${several(review, 'reservation waits', 'reservations wait')} for a person, the oldest for ${reviewMinutes ?? 0} min.`,
      '/ops/reservations?state=manual_review',
    ),
    ...task(
      late,
      'bad',
      'Late bookings',
      `${several(late, 'reservation in review was', 'reservations in review were')} found at the supplier after the caller got a failure: ask the caller whether to keep or cancel.`,
      '/ops/reservations?state=late_in_review',
    ),
    ...task(
      second,
      'bad',
      'Second bookings',
      `${several(second, 'reservation has', 'reservations have')} another booking at the supplier.`,
      '/ops/reservations?state=second',
    ),
    ...task(
      unresolved,
      'partial',
      'Unknown outcomes',
      `${several(unresolved, 'reservation has', 'reservations have')} had an unknown outcome for more than 15 min.`,
      '/ops/reservations?state=unknown',
    ),
    ...task(
      isDeciding ? requested : 0,
      'partial',
      'Access requests',
      `${several(requested, 'production access request waits', 'production access requests wait')} for a decision.`,
      '/ops/access-requests',
    ),
    ...task(
      mail,
      'partial',
      'Email',
      `${several(mail, 'email has', 'emails have')} not been delivered for more than 15 min. Check SMTP_URL and the log.`,
      '/ops',
    ),
    ...task(
      endpoints,
      'partial',
      'Webhooks',
      `${several(endpoints, 'endpoint was', 'endpoints were')} suspended after failing for days. Events wait until the owner resumes it.`,
      '/ops/applications?show=webhooks',
    ),
    ...task(
      undelivered,
      'partial',
      'Webhooks',
      `Events for ${several(undelivered, 'endpoint', 'endpoints')} were given up in the last 24 hours.`,
      '/ops/applications?show=webhooks',
    ),
    ...task(
      secrets,
      'partial',
      'Secrets',
      `The last secret of ${several(secrets, 'application', 'applications')} expires within 7 days.`,
      '/ops/applications?show=expiring',
    ),
    ...adminKeyTasks(counts),
    ...encryptionTasks(counts),
  ];
}

function adminKeyTasks({ adminKeys, adminKey, adminKeyDays }: Waiting): readonly Task[] {
  const days = adminKeyDays ?? 0;
  const what = several(adminKeys, 'key of the admin API expires', 'keys of the admin API expire');
  return task(
    adminKeys,
    days < URGENT_DAYS ? 'bad' : 'partial',
    'Admin keys',
    `${what} within 14 days, first "${adminKey ?? ''}" in ${several(days, 'day', 'days')}. Create another with gw admin-keys create.`,
    '/ops/audit?action=admin_key_created',
  );
}

function encryptionTasks({ keyDays }: Waiting): readonly Task[] {
  return task(
    keyDays !== null && keyDays > OLD_KEY_DAYS ? 1 : 0,
    'partial',
    'Encryption keys',
    `Stored data was last re-encrypted ${keyDays ?? 0} days ago. Rotate CLIENT_SECRET_KEYS and PERSONAL_DATA_KEYS in two steps (docs/authentication.md).`,
    '/ops/audit?action=keys_rotated',
  );
}

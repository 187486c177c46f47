import { several } from './diagnosis-text.js';
import { type Task, task } from './supplier-tasks.js';
import type { Waiting } from './waiting.service.js';

/** What waits for a person, apart from suppliers. `isDeciding`: whether the visitor decides about access requests. */
export function waitingTasks(counts: Waiting, isDeciding: boolean): readonly Task[] {
  const { review, reviewMinutes, unresolved, second, mail, requested, secrets, endpoints, undelivered } = counts;
  return [
    ...task(
      review,
      'bad',
      'In review',
      `${several(review, 'reservation waits', 'reservations wait')} for a person, the oldest for ${reviewMinutes ?? 0} min.`,
      '/ops/reservations?state=manual_review',
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
  ];
}

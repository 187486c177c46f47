import type { OwnApplication } from '../../auth/own-applications.js';
import { Moment } from '../shell/moment.js';
import type { Milestones } from './milestones.service.js';

/** Whether every first step of a sandbox application was seen. */
export function isSetUp(done: Milestones): boolean {
  return Object.values(done).every(Boolean);
}

/** Takes the place of the finished checklist: one line, and the next step toward production. */
export function SetUp({
  application,
}: {
  application: Pick<OwnApplication, 'id' | 'launch' | 'isLaunched' | 'products'>;
}) {
  return (
    <section class="card" aria-labelledby="set-up">
      <h2 id="set-up">
        You’re set up <span class="badge good">5 of 5 steps</span>
      </h2>
      <NextStep application={application} />
    </section>
  );
}

function NextStep({ application: { id, launch, isLaunched, products } }: Parameters<typeof SetUp>[0]) {
  const own = `/applications/${id}`;
  if (launch?.state === 'requested')
    return (
      <p>
        You requested production access on <Moment at={launch.at} />. We’ll email you the decision. Until then, see how
        your client does in the <a href={`${own}/certification`}>certification</a>.
      </p>
    );
  if (launch?.state === 'refused')
    return (
      <p>
        Production access was rejected on <Moment at={launch.at} />. <a href={`${own}#production`}>See why</a>, then
        request it again.
      </p>
    );
  if (isLaunched)
    return (
      <p>
        This application has production access. <a href={`${own}#production`}>Where its production credentials are</a>
      </p>
    );
  return (
    <>
      <p>Next, check how your client handles failures and retries, then go to production.</p>
      <p class="actions">
        <a class="button" href={`${own}/certification`}>
          Check your client
        </a>
        <a href={products.length > 0 ? `${own}/production-access` : own}>Request production access</a>
      </p>
    </>
  );
}

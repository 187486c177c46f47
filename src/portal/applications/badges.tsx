import type { OwnApplication } from '../../auth/own-applications.js';

/** Badges for the environment and state of an application. Sandbox and production must be easy to tell apart. */
export function Badges({
  application: { environment, state },
}: {
  application: Pick<OwnApplication, 'environment' | 'state'>;
}) {
  return (
    <>
      <span class={environment === 'production' ? 'badge bad' : 'badge'}>
        {environment === 'production' ? 'Production' : 'Sandbox'}
      </span>
      {state === 'suspended' && (
        <>
          {' '}
          <span class="badge partial">Suspended</span>
        </>
      )}
    </>
  );
}

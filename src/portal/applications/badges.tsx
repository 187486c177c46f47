import type { OwnApplication } from '../../auth/own-applications.js';

/** Environment and state of an application: sandbox and production must never be taken for each other. */
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

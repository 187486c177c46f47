import type { Visitor } from '../../../accounts/sessions.service.js';
import type { OwnApplication } from '../../../auth/own-applications.js';
import type { Answer } from '../../../http/answer.js';
import { areaPage } from '../area-page.js';
import { Crumb } from '../crumb.js';
import type { Certification } from './certification.js';
import { CertificationTable } from './certification-table.js';

/** The certification of a developer's own application. */
export function certificationPage(
  visitor: Visitor,
  { id, name }: OwnApplication,
  certification: Certification,
  notice: string | undefined,
): Answer {
  return areaPage(
    { title: `Certification of ${name}`, visitor, notice },
    <>
      <Crumb application={{ id, name }} here="Certification" />
      <h1>Certification</h1>
      <p>
        How your client behaves, judged by its own calls to the sandbox. An operator sees the same result when you
        request production access. Run your client, then reload this page: calls appear within a few seconds.{' '}
        <a href="/docs/certification">How it works</a>
      </p>
      <CertificationTable certification={certification} linkTo={requestPath} />
      <section aria-labelledby="again">
        <h2 id="again">Begin again</h2>
        <form method="post" action={`/applications/${id}/certification`}>
          <p>After a fix, begin again: only requests from then on count.</p>
          <p>
            <button class="second" type="submit">
              Begin a new certification
            </button>
          </p>
        </form>
      </section>
    </>,
  );
}

/** A reservation that no kept request is about has no page of its own. */
function requestPath(id: string): string {
  return `/logs/${encodeURIComponent(id)}`;
}

import { Moment } from '../../shell/moment.js';
import { ScrollingTable } from '../../shell/scrolling-table.js';
import { count } from '../../usage/words.js';
import { type Certification, type Judged, total, type Verdict } from './certification.js';

const WORDS: Readonly<Record<Verdict, readonly [tone: string, text: string]>> = {
  passed: ['good', 'Passed'],
  failed: ['bad', 'Failed'],
  unseen: ['', 'Not seen yet'],
};

/** What an application's requests show of each behavior. `linkTo`: path of the page of a request; undefined = none is shown. */
export function CertificationTable({
  certification,
  linkTo,
}: {
  certification: Certification;
  linkTo: ((requestId: string) => string) | undefined;
}) {
  const { judged, requests, counted, since } = certification;
  return (
    <>
      <p>
        <strong>
          {total(certification, 'passed')} of {judged.length} passed
        </strong>
        , {total(certification, 'failed')} failed, {total(certification, 'unseen')} not seen yet.
      </p>
      <p class="quiet">
        Judged by {count(requests)} requests since <Moment at={since} />.
        {counted > requests &&
          ` ${count(counted - requests)} more were not kept, so what was missing can't be judged: send fewer per second.`}
      </p>
      <ScrollingTable label="Behaviors" class="behaviors">
        <thead>
          <tr>
            <th scope="col">Behavior</th>
            <th scope="col">Result</th>
            <th scope="col">Seen in</th>
          </tr>
        </thead>
        <tbody>
          {judged.map((one) => (
            <Row key={one.behavior.id} judged={one} linkTo={linkTo} />
          ))}
        </tbody>
      </ScrollingTable>
    </>
  );
}

function Row({ judged: { behavior, verdict, shown }, linkTo }: { judged: Judged; linkTo: Linker }) {
  const { id, title, todo, occasion, judged } = behavior;
  const [tone, text] = WORDS[verdict];
  return (
    <tr id={id}>
      <th scope="row">
        {title}
        <details>
          <summary>What to do</summary>
          <p>
            <Marked text={todo} />
          </p>
          <p>
            To show it: <Marked text={occasion} />
          </p>
          <p class="quiet">
            <Marked text={judged} />
          </p>
        </details>
      </th>
      <td>
        <span class={`badge ${tone}`}>{text}</span>
      </td>
      <td>
        <ul class="plain">
          {shown.map((one) => (
            <li key={one}>{linkTo ? <a href={linkTo(one)}>{one}</a> : <code>{one}</code>}</li>
          ))}
        </ul>
      </td>
    </tr>
  );
}

/** A text with code between backticks. */
function Marked({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>;
}

type Linker = ((requestId: string) => string) | undefined;

import type { ComponentChildren } from 'preact';
import { mayDecide } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import type { PageFacts } from '../shell/layout.js';
import { page } from '../shell/page.js';

const AREAS = [
  ['/ops', 'Overview'],
  ['/ops/suppliers', 'Suppliers'],
  ['/ops/failures', 'Failed exchanges'],
  ['/ops/requests', 'Requests'],
  ['/ops/reservations', 'Reservations'],
  ['/ops/applications', 'Applications'],
  ['/ops/switches', 'Switches'],
  ['/ops/audit', 'Audit'],
  ['/ops/commands', 'Commands'],
] as const;

/** A page of the operations console with its own navigation; `area` is the path of the entry to highlight. */
export function opsPage(
  { area, ...facts }: Omit<PageFacts, 'section' | 'styles' | 'isWide'> & { readonly area: string },
  content: ComponentChildren,
): Answer {
  const areas =
    facts.visitor && mayDecide(facts.visitor)
      ? [...AREAS, ['/ops/access-requests', 'Access requests'] as const]
      : AREAS;
  return page(
    { ...facts, section: '/ops', styles: ['usage.css', 'applications.css', 'ops.css'], isWide: true },
    <>
      <nav class="areas" aria-label="Operations">
        <ul>
          {areas.map(([path, name]) => (
            <li key={path}>
              <a href={path} aria-current={area === path ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {content}
    </>,
  );
}

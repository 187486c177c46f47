import type { ComponentChildren } from 'preact';
import type { Answer } from '../../http/answer.js';
import type { PageFacts } from '../shell/layout.js';
import { page } from '../shell/page.js';

/** A page in the applications section. `isRefused`: it shows a rejected form again (status 400). */
export function areaPage(
  { isRefused = false, ...facts }: Omit<PageFacts, 'section' | 'styles' | 'status'> & { readonly isRefused?: boolean },
  content: ComponentChildren,
): Answer {
  return page(
    { ...facts, section: '/applications', styles: ['applications.css'], status: isRefused ? 400 : 200 },
    content,
  );
}

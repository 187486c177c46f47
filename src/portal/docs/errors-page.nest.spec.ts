import { describe, expect, it } from '@jest/globals';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { reasons } from '../../status/reasons.js';
import { errorReasons } from './error-reasons.js';
import { ErrorsPage } from './errors-page.js';

const html = renderToString(
  h(ErrorsPage, {
    html: '<h1 id="errors">Errors</h1>\n<p>Prose</p><h2 id="partial-results">',
    reasons: errorReasons([]),
  }),
);

describe('the page of errors', () => {
  it('begins with a table of all codes, then the text, then a section per reason', () => {
    expect(html).toMatch(/^<h1 id="errors">Errors<\/h1><section class="scroll"[^>]*><table class="codes">/);
    expect(html.match(/<h1/g)).toHaveLength(1);
    const [table, prose, section] = ['</table>', '<p>Prose', '<h2 id="invalid_request">'].map((part) =>
      html.indexOf(part),
    );
    expect([table, prose, section]).toEqual([table, prose, section].toSorted((one = 0, other = 0) => one - other));
  });

  it('each row leads to its section and has status, meaning and whether to retry', () => {
    const rows = html.slice(0, html.indexOf('</table>')).split('<tr>').slice(2);
    expect(rows).toHaveLength(Object.keys(reasons).length + 2);
    for (const [reason, { code }] of Object.entries(reasons)) {
      const row = rows.find((one) => one.includes(`<th><a href="#${reason}"><code>${reason}</code>`)) ?? '';
      expect([reason, row]).toEqual([reason, expect.stringMatching(`<td>${code}</td>.*<td>\\w.*<td>\\w.*</td></tr>`)]);
      expect(html).toContain(` id="${reason}"`);
      const [, entry = ''] = new RegExp(`id="entry-${reason}">([^<]*)<`).exec(html) ?? [];
      expect(JSON.parse(entry)).toMatchObject({ reason });
    }
    expect(rows[0]).toMatch(/206.*#partial-results/);
    expect(rows[1]).toMatch(/202.*reservations#states/);
  });
});

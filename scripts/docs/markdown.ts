import { Marked, Renderer, type Tokens } from 'marked';
import { renderToString } from 'preact-render-to-string';
import type { Heading } from '../../src/portal/docs/docs-page.js';
import { CopyButton } from '../../src/portal/shell/copy-button.js';
import { escaped } from '../../src/portal/shell/escaped.js';

/**
 * Renders one of the project's markdown files as HTML. Headings get the same ids as on GitHub, tables and code scroll
 * separately and are focusable, comments are dropped, any other HTML is shown as text. `linkOf` maps the links of the
 * file.
 */
export function renderMarkdown(markdown: string, linkOf: (href: string) => string): string {
  const ids = new Set<string>();
  let blocks = 0;
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${uniqueId(slugOf(plain(inner)), ids)}">${inner}</h${depth}>\n`;
      },
      table(token: Tokens.Table): string {
        tables += 1;
        // A cell without a text isn't a header.
        const table = Renderer.prototype.table.call(this, token).replaceAll('<th></th>', '<td></td>');
        return `<section class="scroll" tabindex="0" aria-label="Table ${tables}">${table}</section>\n`;
      },
      code({ text, lang }: Tokens.Code): string {
        blocks += 1;
        const id = `code-${blocks}`;
        const label = `Code ${blocks}${lang ? `: ${escaped(lang)}` : ''}`;
        const code = `<pre><code id="${id}">${escaped(text)}</code></pre>`;
        return `<div class="code-block"><section tabindex="0" aria-label="${label}">${code}</section>${renderToString(CopyButton({ from: id }))}</div>\n`;
      },
      html({ text }: Tokens.HTML | Tokens.Tag): string {
        return /^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : escaped(text);
      },
      link({ href, tokens }: Tokens.Link): string {
        return `<a href="${escaped(linkOf(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  return marked.parse(markdown, { async: false });
}

/** A part of rendered HTML: everything from one heading to the next. The first one may lack a heading. */
export interface Part extends Heading {
  readonly content: string;
}

/** The parts of a page that renderMarkdown made, with their texts. */
export function partsOf(html: string): readonly Part[] {
  const [before = '', ...pieces] = html.split(/<h([1-6]) id="([^"]*)">(.*?)<\/h\1>/s);
  const parts: Part[] = before.trim() === '' ? [] : [{ id: '', text: '', depth: 1, content: plain(before) }];
  for (let at = 0; at < pieces.length; at += 4) {
    const [depth, id = '', text = '', content = ''] = pieces.slice(at, at + 4);
    parts.push({
      id,
      text: plain(text),
      depth: Number(depth),
      content: plain(content.replace(/<button.*?<\/button>/gs, '')),
    });
  }
  return parts;
}

/** The id that GitHub gives a heading with this text. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function uniqueId(slug: string, taken: Set<string>): string {
  let id = slug;
  for (let count = 1; taken.has(id); count += 1) id = `${slug}-${count}`;
  taken.add(id);
  return id;
}

/** The visible text of HTML made by the renderer, with a mark between the cells and rows of tables. */
function plain(html: string): string {
  return html
    .replace(/<\/t[hd]>\s*(?=<t[hd]\b)/g, ' · ')
    .replace(/(?:\s*<\/t[hdr]>)+(?:\s|<\/?t(?:head|body)>)*(?=<tr\b)/g, ';')
    .replace(/<\/?(?:code|em|strong|a|del)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: keyof typeof ENTITIES) => ENTITIES[name])
    .replace(/&#(\d+);/g, (_entity, code: string) => String.fromCodePoint(Number(code)));
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" } as const;

import { Marked, Renderer, type Tokens } from 'marked';
import { renderToString } from 'preact-render-to-string';
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
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${uniqueId(slugOf(plain(inner)), ids)}">${inner}</h${depth}>\n`;
      },
      table(token: Tokens.Table): string {
        return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
      },
      code({ text, lang }: Tokens.Code): string {
        blocks += 1;
        const id = `code-${blocks}`;
        const copy = lang === 'sh' ? `<p>${renderToString(CopyButton({ from: id }))}</p>` : '';
        return `<pre tabindex="0"><code id="${id}">${escaped(text)}</code></pre>${copy}\n`;
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

/** The visible text of inline HTML made by the renderer. */
function plain(html: string): string {
  return html
    .replace(/<[^>]+>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: keyof typeof ENTITIES) => ENTITIES[name]);
}

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" } as const;

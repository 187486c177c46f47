import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { heapOf } from '../../../test/support/heap.js';
import { threadMs } from '../../../test/support/thread-time.js';
import { SupplierError } from '../../model/supplier.js';
import { readXml } from './read-xml.js';
import { attributes, escapeXml } from './write-xml.js';

/** Together, they take longer than the time of a thread is precise to. */
const RUNS = 10;

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
  return 'none';
}

describe('readXml', () => {
  it('returns names without prefix, attributes, children in order and text', () => {
    const root = readXml(
      '<?xml version="1.0"?><!-- c --><o:A x:lang="de" b=" 1 "><o:C>t &amp; <![CDATA[<u>]]></o:C><C/></o:A>',
    );
    expect([root.name, root.attributes.b, root.attributes['x:lang'], root.children.length]).toEqual([
      'A',
      ' 1 ',
      'de',
      2,
    ]);
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([
      ['C', 't & <u>'],
      ['C', ''],
    ]);
  });

  claim(['API10', 'suppliers'], 'A value of an XML answer that is kept does not keep the answer in memory.', () => {
    const rest = 'of a large answer '.repeat(3_600);
    const valuesOf = (_: unknown, at: number): readonly (string | undefined)[] => {
      const { attributes, children } = readXml(
        `<A phone="please call the desk ${at}"><B>the näme of ${at}<![CDATA[ & others]]></B><C>${rest}</C></A>`,
      );
      return [attributes.phone, `a key of ${children[0]?.text}`];
    };
    expect(valuesOf(undefined, 7)).toEqual(['please call the desk 7', 'a key of the näme of 7 & others']);
    // 200 answers have 13 MB.
    expect(heapOf(() => Array.from({ length: 200 }, valuesOf))).toBeLessThan(3_000_000);
  });

  it('reads XML 1.1 as XML 1.0', () => {
    expect(readXml('<?xml version="1.1"?><A>x\u0085y</A>').text).toBe('x\u0085y');
  });

  claim.each([
    ['an empty body', ''],
    ['plain text', 'Service unavailable'],
    ['JSON', '{"a":1}'],
    ['an HTML page', '<!DOCTYPE html><html><body>Login</body></html>'],
    ['HTML without DOCTYPE', '<html><body><br>Login</body></html>'],
    ['a cut answer', '<A><B x="1"/><C>'],
    ['a cut attribute', '<A><B x="1'],
    ['crossed tags', '<A><B></A></B>'],
    ['two roots', '<A/><B/>'],
    ['an unknown entity', '<A>&nbsp;</A>'],
    ['a comment that never ends', '<!-- <A/>'],
    ['an entity declaration', '<?xml version="1.0"?>\n<!ENTITY x "y"><A/>'],
    ['an external entity', '<!DOCTYPE A [<!ENTITY x SYSTEM "file:///etc/passwd">]><A>&x;</A>'],
    ['a DOCTYPE behind a comment', '<!-- <A> --><!DOCTYPE A><A/>'],
    ['XML 1.1, which has control characters', '<?xml version="1.1"?><A>&#x1b;]0;title&#7;</A>'],
    ['a control character', '<?xml version="1.0"?><A>&#x1b;</A>'],
    ['deep nesting', '<a>'.repeat(100) + '</a>'.repeat(100)],
    ['more elements than 200,000', `<a>${'<b/>'.repeat(200_001)}</a>`],
  ])(
    ['API10', 'V1.5.1'],
    'XML with entity declarations, external entities, a DOCTYPE, deep nesting or too many elements is rejected, as is anything that is not well-formed XML 1.0.',
    '%s',
    (_name, source) => {
      expect(faultOf(() => readXml(Buffer.from(source)))).toBe('bad_payload');
    },
  );

  claim(['API10', 'V1.5.1'], 'The parser rejects a 5 MB entity bomb in less than 50 ms of processor time.', () => {
    const entities = Array.from(
      { length: 50_000 },
      (_, at) => `<!ENTITY e${at} "&e${at - 1};&e${at - 1};&e${at - 1};&e${at - 1};&e${at - 1};">`,
    );
    const bomb = Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY e "lol">${entities.join('')}]><A>&e49999;</A>`,
    );
    const start = threadMs();
    for (let run = 0; run < RUNS; run += 1) expect(faultOf(() => readXml(bomb))).toBe('bad_payload');
    expect((threadMs() - start) / RUNS).toBeLessThan(50);
  });

  it('accepts nesting as deep as OTA needs', () => {
    expect(readXml('<a>'.repeat(60) + '</a>'.repeat(60)).name).toBe('a');
  });
});

describe('encoding', () => {
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><A n="Zürich"/>', 'latin1');
  const nameOf = (body: Buffer, contentType?: string) => readXml(body, contentType).attributes.n;
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  it.each([
    ['UTF-8 by default', Buffer.from('<A n="Zürich"/>'), undefined],
    ['UTF-8 with byte order mark', Buffer.from('\uFEFF<A n="Zürich"/>'), 'text/xml; charset=iso-8859-1'],
    ['ISO-8859-1 by declaration', latin, 'text/xml'],
    ['ISO-8859-1 by content type', Buffer.from('<A n="Zürich"/>', 'latin1'), 'text/xml; charset="ISO-8859-1"'],
    ['the declaration if the bytes contradict the content type', latin, 'text/xml; charset=utf-8'],
    ['UTF-16 LE with mark', utf16('\uFEFF<A n="Zürich"/>'), undefined],
    ['UTF-16 LE without mark', utf16('<A n="Zürich"/>'), undefined],
    ['UTF-16 BE without mark', utf16('<A n="Zürich"/>').swap16(), undefined],
  ])('reads %s', (_name, body, contentType) => {
    expect(nameOf(body, contentType)).toBe('Zürich');
  });

  it('rejects bytes that contradict their encoding, and unknown encodings', () => {
    expect(faultOf(() => readXml(Buffer.from('<A n="Zürich"/>', 'latin1'), 'text/xml; charset=utf-8'))).toBe(
      'bad_payload',
    );
    expect(faultOf(() => readXml(Buffer.from('<?xml version="1.0" encoding="x-none"?><A/>')))).toBe('bad_payload');
  });
});

describe('escapeXml', () => {
  claim(
    ['suppliers', 'V1.2.1'],
    'Any text in a request to an XML supplier stays inside its attribute, and characters that XML forbids are dropped.',
    () => {
      const nasty = `a<b>&"c'\t\n\u0000\uD800z😀`;
      expect(escapeXml(nasty)).toBe('a&lt;b&gt;&amp;&quot;c&apos;&#9;&#10;z😀');
      expect(readXml(`<A${attributes({ v: nasty, none: undefined, empty: '' })}/>`).attributes.v).toBe(
        `a<b>&"c'\t\nz😀`,
      );
    },
  );
});

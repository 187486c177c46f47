import { describe, expect, it } from '@jest/globals';
import { csvAnswer } from './data-table.js';

describe('a CSV export', () => {
  it('quotes what must be quoted, and disarms what a spreadsheet would take for a formula', () => {
    const rows = [
      'plain',
      'with "quotes", and\r\nlines',
      '=HYPERLINK("http://evil.example")',
      '+1',
      '-1',
      '@cmd',
      '\tx',
    ];
    const columns = [
      { head: 'Name', value: (row: string) => row },
      { head: 'Change', value: () => -0.5 },
      { head: 'None', value: () => undefined },
    ];
    const { body, headers } = csvAnswer('names', columns, rows);
    expect(String(body)).toBe(
      [
        'Name,Change,None',
        'plain,-0.5,',
        '"with ""quotes"", and\r\nlines",-0.5,',
        `"'=HYPERLINK(""http://evil.example"")",-0.5,`,
        ...["'+1,-0.5,", "'-1,-0.5,", "'@cmd,-0.5,", "'\tx,-0.5,", ''],
      ].join('\r\n'),
    );
    expect(headers).toMatchObject({ 'content-disposition': 'attachment; filename="names.csv"' });
  });
});

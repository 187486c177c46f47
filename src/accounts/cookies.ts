/** The value of a cookie in a Cookie header; undefined if it is missing or sent more than once. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((part) => {
    const [key, value = ''] = part.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

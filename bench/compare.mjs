/** Compares two responses to the same request, so that no server wins by doing less. */
import { Line, nextQuestion, requestText } from './load-generator.mjs';

/** Legitimately differs between servers and calls. */
const OWN = new Set(['search_id', 'request_time', 'expires_at', 'duration_ms', 'status', 'location_id']);

/**
 * Asks two servers the same, `more` added to the query, and throws if an answer isn't 200 or they differ.
 */
export async function sameAnswer(one, other, more = '') {
  const query = nextQuestion().query + more;
  const bodies = [];
  for (const { target } of [one, other]) {
    const line = new Line(target.host, target.port);
    // A server that has just started may be late once.
    await line.send(requestText(target, nextQuestion().query + more));
    const { status, body } = await line.send(requestText(target, query), true);
    line.close();
    if (status !== 200) throw new Error(`${target.port} returned ${status}: ${body}`);
    bodies.push(JSON.parse(body));
  }
  const found = differences(bodies[0], bodies[1]);
  if (found.length > 0)
    throw new Error(`${one.name} and ${other.name} answer differently:\n  ${found.slice(0, 12).join('\n  ')}`);
  console.log(`same response, ${other.name}: yes`);
  return { equal: true, bytes: bodies.map((body) => JSON.stringify(body).length) };
}

/**
 * Paths at which two responses differ; empty if they are equal. Ids are compared by their decoded content, without the
 * expiry.
 */
function differences(one, other) {
  const found = [];
  compare('', one, other, found);
  return found;
}

function compare(path, one, other, found) {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    if (one !== other) found.push(`${path}: ${JSON.stringify(one)} ≠ ${JSON.stringify(other)}`);
    return;
  }
  if (empty(one) && empty(other)) return;
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (key === 'offer_id') compare(`${path}.${key}`, sealed(one[key]), sealed(other[key]), found);
    else if (key === 'status' && path !== '') compare(`${path}.${key}`, one[key], other[key], found);
    else if (!OWN.has(key)) compare(`${path}.${key}`, one[key], other[key], found);
  }
}

/** cjson writes an empty list as {}. */
function empty(value) {
  return Object.keys(value).length === 0;
}

function sealed(id) {
  const parts = JSON.parse(Buffer.from(String(id).slice(4, -22), 'base64url').toString());
  return parts.slice(0, -1);
}

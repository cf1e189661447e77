import type { Reply } from './requests';

// RFC 6749 §5.2: no quotation mark, no backslash, nothing outside printable ASCII.
const describable = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * A wallet endpoint rejects with an OAuth error: status and error as expected, a description of allowed characters, never
 * cached.
 */
export function expectRefusal(reply: Reply, status: number, error: string): void {
  expect({ status: reply.status, error: reply.json['error'] }).toEqual({ status, error });
  expect(reply.json['error_description']).toMatch(describable);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.headers.get('cache-control')).toBe('no-store');
}

/** The management API rejects with a named problem (RFC 9457) and the status of the catalogue. */
export function expectProblem(reply: Reply, status: number, slug: string, title?: string): void {
  expect({ status: reply.status, type: reply.json['type'] }).toEqual({
    status,
    type: expect.stringMatching(new RegExp(`^https?://[^ ]+/problems/${slug}$`)) as unknown,
  });
  expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(reply.json).toMatchObject({ status, title: title ?? (expect.any(String) as unknown) });
  expect(reply.json['detail']).toMatch(/\S/);
}

/** Any named error in the format of the endpoint that is not a 5xx. */
export function expectNamed(reply: Reply): void {
  expect(reply.status).toBeLessThan(500);
  if (reply.status < 400) return;
  const isBare = reply.status === 401 && reply.headers.get('www-authenticate') === 'Bearer';
  const name = reply.json['type'] ?? reply.json['error'];
  expect({ ...reply, name: isBare ? 'bare challenge' : name }).toMatchObject({ name: expect.any(String) as unknown });
  const description = reply.json['error_description'];
  if (description !== undefined) expect(description).toMatch(describable);
}

/** A replica of this release leaves what a newer one made to a replica that knows it. */
export function expectUnavailable({ status, headers, text }: Reply): void {
  expect({ status, retryAfter: headers.get('retry-after'), text }).toEqual({
    status: 503,
    retryAfter: '2',
    text: expect.any(String) as unknown,
  });
}

import { signedByV4 } from './sigv4';

/** The key of the examples of AWS. */
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const scope = { region: 'us-east-1', service: 'service' };
const now = new Date('2015-08-30T12:36:00Z');
const post = { method: 'POST', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' };

describe('a request signed by Signature Version 4', () => {
  it.each([
    ['get-vanilla', 'GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('is that of the test suite: %s', (_, method, signature) => {
    expect(signedByV4({ ...post, method }, scope, credentials, now)).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

  it('covers its headers, its body, and the token of lent credentials', () => {
    const lent = { ...credentials, sessionToken: 'lent' };
    const headers = { 'x-amz-target': 'TrentService.Sign', 'content-type': 'application/x-amz-json-1.1' };
    const signed = signedByV4({ ...post, headers }, scope, lent, now);
    expect(signed).toMatchObject({ ...headers, 'x-amz-security-token': 'lent' });
    expect(signed['authorization']).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target,',
    );
    expect(signedByV4({ ...post, headers, body: '{}' }, scope, lent, now)).not.toEqual(signed);
  });
});

import { renderCodeResponse } from './code-response';

const issuer = 'https://issuer.example/openid4vci';

describe('the response to a request for a code', () => {
  it('goes to the address of the client, whose own query stays as it is', () => {
    const given = { state: undefined, issuer };
    expect(renderCodeResponse('https://wallet.example/cb', { code: 'abc' }, given)).toBe(
      'https://wallet.example/cb?code=abc&iss=https%3A%2F%2Fissuer.example%2Fopenid4vci',
    );
    expect(renderCodeResponse('https://wallet.example/cb?a=%20+b', { error: 'access_denied' }, given)).toBe(
      'https://wallet.example/cb?a=%20+b&error=access_denied&iss=https%3A%2F%2Fissuer.example%2Fopenid4vci',
    );
    expect(renderCodeResponse('com.example.wallet:/cb', { code: 'abc' }, given)).toMatch(
      /^com\.example\.wallet:\/cb\?code=abc&iss=/,
    );
  });

  it.each(['a b+c%20d', `&"<script>=#?/\\`, 'ünïcode ✓', ''])(
    'returns the state %j to every kind of reader',
    (state) => {
      const address = renderCodeResponse('https://wallet.example/cb', { code: 'abc' }, { state, issuer });
      expect(new URL(address).searchParams.get('state')).toBe(state);
      expect(decodeURIComponent(/[&]state=([^&]*)/.exec(address)?.[1] ?? 'there is none')).toBe(state);
    },
  );
});

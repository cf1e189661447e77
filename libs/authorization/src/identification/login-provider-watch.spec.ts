/** @jest-environment node */
import { Metrics } from '@app/observability';
import { OutboundError } from '@app/outbound';
import { Logger } from '@nestjs/common';
import { LoginFailure } from './login-failure';
import { LoginProviderWatch } from './login-provider-watch';
import type { OpenIdProvider } from './openid-provider';

const down = new LoginFailure('login-unavailable', {}, { cause: new OutboundError('timeout', 'late') });
const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);

beforeEach(() => {
  jest.useFakeTimers();
  jest.clearAllMocks();
});
afterEach(() => jest.useRealTimers());

/** @param later is passed before the provider is looked at again */
async function standingAfter(watch: LoginProviderWatch, later: number): Promise<string> {
  jest.advanceTimersByTime(later);
  watch.standing();
  await jest.advanceTimersByTimeAsync(0);
  return watch.standing();
}

describe('the standing of the login provider', () => {
  it('is what a look found, at most every half minute, and each change is logged once', async () => {
    const check = jest.fn<Promise<void>, []>().mockResolvedValue(undefined);
    const watch = new LoginProviderWatch({ isConfigured: true, check } as unknown as OpenIdProvider, new Metrics());
    expect(watch.standing()).toBe('unknown');
    expect(await standingAfter(watch, 0)).toBe('usable');
    check.mockRejectedValue(down);
    expect(await standingAfter(watch, 29_000)).toBe('usable');
    expect(await standingAfter(watch, 2_000)).toBe('failing');
    expect(await standingAfter(watch, 31_000)).toBe('failing');
    expect(check).toHaveBeenCalledTimes(3);
    expect(warn.mock.calls).toEqual([[{ event: 'login.failing', reason: 'timeout' }, expect.any(String)]]);
    check.mockResolvedValue(undefined);
    expect(await standingAfter(watch, 31_000)).toBe('usable');
    expect(log.mock.calls).toEqual([[{ event: 'login.usable' }, expect.any(String)]]);
  });

  it('is none without a provider, which is not looked at', () => {
    const check = jest.fn();
    const watch = new LoginProviderWatch({ isConfigured: false, check } as unknown as OpenIdProvider, new Metrics());
    expect(watch.standing()).toBe('none');
    expect(check).not.toHaveBeenCalled();
  });
});

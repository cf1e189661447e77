import { inTenant } from '@app/primitives/context';
import { Logger } from '@nestjs/common';
import { currentLogContext } from '../context/request-context';
import { logAnswered } from './request-log';

const request = { requestId: 'r', traceparent: '00-1-2-00' };
const answered = { method: 'GET', route: '/jwks.json', status: 200, seconds: 0.01 };

describe('a line of the log', () => {
  it('names the tenant of its request, or in whose name other work is done', () => {
    const log = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    logAnswered(answered, { request, tenant: 'town' });
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ event: 'request.answered', tenant: 'town' }));
    const town = { id: 'town', mark: 'abcdefgh', made: new Map<object, object>() };
    expect([inTenant(town, currentLogContext), currentLogContext()]).toEqual([{ tenant: 'town' }, {}]);
  });
});

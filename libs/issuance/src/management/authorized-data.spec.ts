import type { Repository } from '@app/event-store';
import { validationFailed } from '@app/primitives/problems';
import type { CommandBus } from '@nestjs/cqrs';
import { SubmitAuthorizedDataHandler, SubmitAuthorizedData } from './authorized-data.handlers';
import type { Credential, CredentialEvent } from '../credential/credential';

type Credentials = Repository<Credential, CredentialEvent>;

/** Lists as the event store does, the newest first. */
function listed(states: readonly object[]): Credentials {
  const list: Credentials['list'] = ({ where = {}, limit }) => {
    const matches = states.filter((state) => Object.entries(where).every(([name, value]) => has(state, name, value)));
    const items = matches.slice(0, limit).map((state) => ({ state }));
    return Promise.resolve({ items } as Awaited<ReturnType<Credentials['list']>>);
  };
  return { list } as Credentials;
}

function has(state: object, name: string, value: unknown): boolean {
  return Object.entries(state).some(([one, held]) => one === name && held === value);
}

const authorizationId = 'a1';
const credential = (number: number, status: string) => ({
  authorizationId,
  credentialId: `a1.${number}`,
  configurationId: `c${number}`,
  status,
});
const issued = Array.from({ length: 300 }, (_, number) => credential(number + 10, 'Issued'));

function submit(states: readonly object[], credentialConfigurationId?: string, refusal?: Error) {
  const execute = jest.fn(() => (refusal ? Promise.reject(refusal) : Promise.resolve({ credential: 'prepared' })));
  const handler = new SubmitAuthorizedDataHandler(listed(states), { execute } as unknown as CommandBus);
  const data = { authorizationId, credentialConfigurationId, claims: {}, expiresAt: undefined };
  return { execute, submitted: handler.execute(new SubmitAuthorizedData(data)) };
}

describe('data for a credential that a wallet waits for', () => {
  it('reaches it, however many others of the authorization there are', async () => {
    for (const configurationId of [undefined, 'c1']) {
      const { execute, submitted } = submit([...issued, credential(1, 'Requested')], configurationId);
      await expect(submitted).resolves.toBe('prepared');
      expect(execute.mock.calls).toMatchObject([[{ input: { place: { credentialId: 'a1.1' } } }]]);
    }
  });

  it('says which it is for when the wallet waits for several', async () => {
    const { submitted } = submit([...issued, credential(1, 'Requested'), credential(2, 'Requested')]);
    await expect(submitted).rejects.toMatchObject({ slug: 'conflict', detail: expect.stringContaining('c1, c2') });
  });

  it('is a conflict when the credential has its data, and not found when it was not asked for', async () => {
    await expect(submit(issued).submitted).rejects.toMatchObject({ slug: 'conflict' });
    await expect(submit(issued, 'c1').submitted).rejects.toMatchObject({ slug: 'not-found' });
  });

  it('is refused with the places of the faults in the body that was sent', async () => {
    const faults = ['given_name', 'level'].map((name) => ({
      pointer: `/credential/credentialSubject/${name}`,
      message: 'must be number',
    }));
    const about = 'The claims do not satisfy the schema of c1: ';
    const refusal = validationFailed(faults, 'credential-schema-validation-failed', about);
    await expect(submit([credential(1, 'Requested')], undefined, refusal).submitted).rejects.toMatchObject({
      slug: 'credential-schema-validation-failed',
      detail: `${about}/credentialSubject/given_name: must be number; /credentialSubject/level: must be number.`,
      violations: [{ pointer: '/credentialSubject/given_name' }, { pointer: '/credentialSubject/level' }],
    });
  });
});

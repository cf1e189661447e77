import { SealBrokenError, Sealer } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import { openContent, sealContent } from './sealed-content';

const sealer = new Sealer(knownRootKeys());

describe('the claims of a credential', () => {
  const content = { claims: { given_name: 'Ada' } };
  const sealed = sealContent(sealer, 'credential-of-ada', content);

  it('are opened for the credential they were sealed for', async () => {
    const { sealed: sealedContent, wrappedKey } = await sealed;
    const opened = openContent(sealer, { credentialId: 'credential-of-ada', sealedContent }, wrappedKey);
    expect(await opened).toEqual(content);
  });

  it('are not opened for another credential, although that one has the key', async () => {
    const { sealed: sealedContent, wrappedKey } = await sealed;
    const open = () => openContent(sealer, { credentialId: 'credential-of-eve', sealedContent }, wrappedKey);
    expect(open).toThrow(SealBrokenError);
  });
});

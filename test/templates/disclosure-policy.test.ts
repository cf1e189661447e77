import { answered, get, type Json, postJson, send } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';

const service = serviceOfFile();
const policy = {
  policy_type: 'authorized_rp_only',
  authorized_parties: [{ identifier: 'VATDE-123456789' }],
  policy_info_url: 'https://issuer.example/policy',
};

async function publishedPolicy(path: string, id: string): Promise<unknown> {
  const all = answered(200, await get(`${service.url}${path}`))['credential_configurations_supported'] as Json;
  return (all[id] as { credential_metadata?: Json }).credential_metadata?.['embedded_disclosure_policy'];
}

describe('the disclosure policy of a template', () => {
  it('is published in the metadata of 1.0 until it is taken away', async () => {
    const id = await publishedTemplate(service.url, { disclosurePolicy: policy });
    expect(answered(200, await get(`${service.url}/v0/templates/${id}`))['disclosurePolicy']).toEqual(policy);
    const final = '/.well-known/openid-credential-issuer/openid4vci';
    expect(await publishedPolicy(final, id)).toEqual(policy);
    expect(await publishedPolicy('/openid4vci/.well-known/openid-credential-issuer', id)).toBeUndefined();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ disclosurePolicy: null });
    answered(200, await send(`${service.url}/v0/templates/${id}`, { method: 'PATCH', headers, body }));
    expect(await publishedPolicy(final, id)).toBeUndefined();
  });

  it('is refused with the place of what is wrong', async () => {
    const template = { title: 'PID', format: 'dc+sd-jwt', vct: 'urn:eudi:pid:1', schema: { type: 'object' } };
    const disclosurePolicy = { policy_type: 'authorized_rp_only', authorized_parties: [{}] };
    const reply = await postJson(`${service.url}/v0/templates`, { ...template, disclosurePolicy });
    expectProblem(reply, 400, 'validation-failed');
    expect(reply.text).toContain('/disclosurePolicy/authorized_parties/0');
    expect(reply.text).toContain('is not for a PID, which has none');
  });
});

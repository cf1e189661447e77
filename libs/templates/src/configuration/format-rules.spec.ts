import { rulesByFormat } from './format-rules';

describe('the rules of a template by its format', () => {
  it('exclude the members and data models of every other format', () => {
    expect(rulesByFormat()).toEqual({
      if: { required: ['format'], properties: { format: { const: 'jwt_vc_json' } } },
      then: {
        properties: {
          vct: false,
          selectivelyDisclosable: false,
          doctype: false,
          expectedUpdate: false,
          dataModel: { enum: ['w3c-vc-1.1', 'open-badges-3.0'] },
        },
      },
      else: {
        if: { required: ['format'], properties: { format: { const: 'dc+sd-jwt' } } },
        then: {
          properties: { type: false, doctype: false, expectedUpdate: false, dataModel: { const: 'sd-jwt-vc' } },
        },
        else: {
          required: ['doctype'],
          properties: {
            type: false,
            vct: false,
            selectivelyDisclosable: false,
            doctype: { type: 'string' },
            expiration: { not: { const: 'never' } },
            dataModel: { const: 'mdoc' },
          },
        },
      },
    });
  });
});

import type { FileMutants } from './mutant';

export const templateMutants: readonly FileMutants[] = [
  {
    file: 'libs/templates/src/images/read-image.ts',
    tests: ['libs/templates/src/images/read-image.spec.ts'],
    mutants: [
      {
        noticed: 'a picture of a thousand million pixels is stored',
        original: '&& Math.max(width, height) <= longestSide',
      },
      {
        noticed: 'something that is no part of a PNG is stored with it',
        original: 'hasData && at === bytes.length',
        replacement: 'hasData',
      },
    ],
  },
  {
    file: 'libs/templates/src/images/images.ts',
    tests: ['test/templates/images.test.ts'],
    mutants: [
      {
        noticed: 'what was put into the table is served as the picture that it is not',
        original: ' || hashOf(found.content) !== imageId',
      },
      {
        noticed: 'a picture is deleted that wallets are shown',
        original: 'if (shownBy !== undefined) {',
        replacement: 'if (shownBy === imageId) {',
      },
    ],
  },
  {
    file: 'libs/openid4vc/src/formats/sd-jwt-vc/type-metadata.ts',
    tests: ['libs/credentials/src/formats/sd-jwt-vc/build.spec.ts'],
    mutants: [
      {
        noticed: 'credentials have a claim that the metadata of their type do not name',
        original: "{ path: ['iat'], mandatory: true },",
      },
    ],
  },
  {
    file: 'libs/primitives/src/context/apart.ts',
    tests: ['libs/templates/src/schema/claims-check.spec.ts', 'test/operation/ended-requests.test.ts'],
    mutants: [
      {
        noticed: 'what is kept keeps the context of the request it was started in',
        original: 'return inPresentName((work) => outside.runInAsyncScope(work), start);',
        replacement: 'return inPresentName((work) => work(), start);',
      },
    ],
  },
  {
    file: 'libs/templates/src/template/template.ts',
    tests: ['libs/templates/src/template/template.spec.ts'],
    mutants: [
      {
        noticed: 'a template is deleted while wallets are offered it',
        original: "throw invalidTransition('A Published template cannot be deleted; archive it first.');",
        replacement: "return [{ type: 'TemplateDeleted' }];",
      },
      {
        noticed: 'an archived template changes',
        original: "throw invalidTransition('An Archived template cannot be changed; publish it again first.');",
        replacement: "return [{ type: 'TemplateChanged', content }];",
      },
      {
        noticed: 'the id of a deleted template, of which credentials are out there, means something new',
        original: 'if (present) {',
        replacement: "if (present && present.status !== 'Deleted') {",
      },
      {
        noticed: 'type metadata of a draft are public',
        original: "if (template.status === 'Published' && template.typeVersion === typeVersion)",
        replacement: "if (template.status !== 'Deleted' && template.typeVersion === typeVersion)",
      },
      {
        noticed: 'a new description changes the type that verifiers ask for',
        original: 'const typeVersion = event.keepsType ? template.typeVersion : contentVersion;',
        replacement: 'const typeVersion = contentVersion;',
      },
    ],
  },
  {
    file: 'libs/templates/src/template/template-records.ts',
    tests: ['test/templates/template-life.test.ts'],
    mutants: [
      {
        noticed: 'a portal overwrites what another one has changed since',
        original: 'assertConditions(conditions, version);',
      },
    ],
  },
  {
    file: 'libs/templates/src/schema/schema-names.ts',
    tests: ['libs/templates/src/schema/schema-names.spec.ts'],
    mutants: [
      {
        noticed: 'a schema demands a property that its unevaluatedProperties rule out',
        original: 'unevaluatedProperties !== false ||',
      },
      {
        noticed: 'a schema is refused for a property that another part of it has',
        original: "all.flatMap((one) => namesOf(one['properties']))",
        replacement: 'namesOf(properties)',
      },
    ],
  },
];

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SourceFile, sourceFiles } from '../support/repository/source-files';

const root = join(__dirname, '../..');

/** Format identifiers of OpenID4VCI, OpenID4VP and Presentation Exchange, also those that are not issued here. */
const formatName = /\b(?:jwt|ldp)_v[cp](?:_json)?\b|\b\w+\+sd-jwt\b|\bmso_mdoc\b/;

/** Members of templates, metadata and queries that one format alone has; not `<!doctype html>`. */
const memberName = /\b(?:vct|vct_values|selectivelyDisclosable|credential_definition|type_values)\b|(?<!<!)\bdoctype/;

const folders = ['openid4vc', 'credentials'].map((library) =>
  readdirSync(join(root, 'libs', library, 'src/formats'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort(),
);
const fromFolder = `from '[^']*\\b(?:${[...new Set(folders.flat())].join('|')})/[^']+'`;
const folderImport = new RegExp(fromFolder);

/** What the two libraries export from the folders of single formats. */
const exported = ['openid4vc', 'credentials'].flatMap((library) => {
  const text = readFileSync(join(root, 'libs', library, 'src/index.ts'), 'utf8');
  return [...text.matchAll(new RegExp(`export \\{([^}]*)\\} ${fromFolder}`, 'g'))].flatMap(
    ([, names = '']) => names.match(/\b(?!type\b)\w+/g) ?? [],
  );
});
const exportedName = new RegExp(`\\b(?:${exported.join('|')})\\b`);

/** A comment may explain by example what code may not know; identifiers of formats are looked for in comments, too. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '');
}

function knowsFormat(text: string): boolean {
  const code = withoutComments(text);
  return formatName.test(text) || [memberName, folderImport, exportedName].some((sign) => sign.test(code));
}

/** What may know a single format outside the folders; the list may only get shorter. */
const allowed = [
  // The registries, and what the libraries export of a single format.
  'libs/credentials/src/formats/registry.ts',
  'libs/credentials/src/index.ts',
  'libs/openid4vc/src/formats/registry.ts',
  'libs/openid4vc/src/index.ts',
  // The members of a template and of a file.
  'libs/templates/src/configuration/provisioned-configurations.ts',
  'libs/templates/src/template/template-content.ts',
  'libs/templates/src/management/templates.contract.ts',
  // The address of type metadata, which is the usual `vct`.
  'libs/credentials/src/formats/description.ts',
  'libs/openid4vc/src/metadata/wallet-urls.ts',
  'libs/config/src/tenant-url.ts',
  'libs/templates/src/configuration/credential-configurations.ts',
  'libs/templates/src/templates.module.ts',
  'libs/templates/src/configuration/type-metadata.endpoint.ts',
  // How a request of draft 11 differs from those after it.
  'libs/openid4vc/src/credential/credential-request.ts',
  // Examples in the descriptions of the management API, and the remedy for an unknown format.
  'libs/issuance/src/management/credentials.contract.ts',
  'libs/primitives/src/problems/catalogue.ts',
  'libs/templates/src/management/credential-configurations.contract.ts',
  'libs/templates/src/management/data-terms.contract.ts',
  'libs/verification/src/question/presentation-body.ts',
].sort();

function isOfProduct(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('/fixtures/');
}

const inFolderOfFormat = /^libs\/(?:openid4vc|credentials)\/src\/formats\/[^/]+\//;

function knowingOutside(files: readonly SourceFile[]): string[] {
  const outside = files.filter(({ path }) => !inFolderOfFormat.test(path));
  const knowing = outside.filter(({ text }) => knowsFormat(text));
  return knowing.map(({ path }) => path).sort();
}

const service = sourceFiles(['libs', 'apps/server', 'apps/cli'], isOfProduct);

describe('a credential format', () => {
  it.each([
    "case 'jwt_vc_json':",
    "'vc+sd-jwt'",
    '"dc+sd-jwt"',
    'alg of a jwt_vp_json',
    'mso_mdoc',
    'ldp_vc',
    'configuration.vct',
    "'https://a.example', configuration.vct",
    "'doctype' in template",
    'readonly doctypeValue: string;',
    'query.meta.vct_values',
    "import { jwtVcJson } from './formats/jwt-vc-json/jwt-vc-json';",
    "import type { Disclosure } from '../sd-jwt-vc/sd-jwt';",
    "import { assertDisclosurePointers, formats } from '@app/credentials';",
    "import type { DcqlJwtVcQuery } from '@app/openid4vc';",
  ])('is seen in: %s', (text) => {
    expect(knowingOutside([{ path: 'libs/offers/src/planted.ts', text }])).toEqual(['libs/offers/src/planted.ts']);
  });

  it.each([
    'jwt-vc-issuer',
    'renderJwtVcIssuerMetadata',
    'application/statuslist+jwt',
    './formats/sd-jwt-vc/issued',
    '<!doctype html>',
    '// the vct of a credential',
    "import { formats } from './formats/registry';",
    "import { credentialFormat } from '@app/credentials';",
  ])('is not seen in: %s', (text) => {
    expect(knowingOutside([{ path: 'libs/offers/src/planted.ts', text }])).toEqual([]);
  });

  it('is known in its folders, and in few files besides', () => {
    expect(service.filter(({ path }) => inFolderOfFormat.test(path)).length).toBeGreaterThan(10);
    expect(knowingOutside(service)).toEqual(allowed);
  });

  it('has a folder of the same name in both libraries', () => {
    expect(folders[0]).toEqual(['jwt-vc-json', 'mdoc', 'sd-jwt-vc']);
    expect(folders[1]).toEqual(folders[0]);
  });

  it('is expected by docs/architecture to touch files that exist', () => {
    const page = readFileSync(join(root, 'docs/architecture/formats-and-generations.md'), 'utf8');
    const touched = [...page.matchAll(/^\| `(\S+)`/gm)].flatMap(([, path]) => path ?? []);
    expect(touched.length).toBeGreaterThan(0);
    expect(touched.filter((path) => !service.some((file) => file.path === path))).toEqual([]);
  });
});

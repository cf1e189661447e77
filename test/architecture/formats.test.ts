import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** Format identifiers of OpenID4VCI, OpenID4VP and Presentation Exchange, also those that are not issued here. */
const formatName = /\b(?:jwt|ldp)_v[cp](?:_json)?\b|\b\w+\+sd-jwt\b|\bmso_mdoc\b/;

/** What may be written about a format outside its folders; the list may only get shorter. */
const allowed = [
  // Examples in the descriptions of the management API, and the remedy for an unknown format.
  'libs/issuance/src/credentials.contract.ts',
  'libs/problem-details/src/catalogue.ts',
  'libs/templates/src/credential-configurations.contract.ts',
  'libs/templates/src/templates.contract.ts',
  'libs/verification/src/authorization-requests.contract.ts',
];

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function sources(...folders: string[]): SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((one) => join(folder, one)),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts') && !path.includes('/fixtures/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const inFolderOfFormat = /^libs\/(?:openid4vc|credentials)\/src\/formats\/[^/]+\//;

function namingOutside(files: readonly SourceFile[]): string[] {
  const naming = files.filter(({ path, text }) => !inFolderOfFormat.test(path) && formatName.test(text));
  return naming.map(({ path }) => path).sort();
}

/** The wallet and the demonstration are programs of their own, which share no code with the service. */
const service = sources('libs', 'apps/server', 'apps/cli');

describe('a credential format', () => {
  it.each(["case 'jwt_vc_json':", "'vc+sd-jwt'", '"dc+sd-jwt"', 'alg of a jwt_vp_json', 'mso_mdoc', 'ldp_vc'])(
    'is seen in: %s',
    (text) => {
      expect(namingOutside([{ path: 'libs/offers/src/planted.ts', text }])).toEqual(['libs/offers/src/planted.ts']);
    },
  );

  it.each(['jwt-vc-issuer', 'renderJwtVcIssuerMetadata', 'application/statuslist+jwt', './formats/sd-jwt-vc/issued'])(
    'is not seen in: %s',
    (text) => {
      expect(namingOutside([{ path: 'libs/offers/src/planted.ts', text }])).toEqual([]);
    },
  );

  it('is named in the folders of the formats, and in few files besides', () => {
    expect(service.filter(({ path }) => inFolderOfFormat.test(path)).length).toBeGreaterThan(10);
    expect(namingOutside(service)).toEqual(allowed);
  });

  it('has a folder of the same name in both libraries', () => {
    const folders = ['openid4vc', 'credentials'].map((library) =>
      readdirSync(join(root, 'libs', library, 'src/formats'), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    );
    expect(folders[0]).toEqual(['jwt-vc-json', 'sd-jwt-vc']);
    expect(folders[1]).toEqual(folders[0]);
  });

  it('needs at most eight files outside its folders, which docs/decisions names', () => {
    const record = readFileSync(join(root, 'docs/decisions/0041-credential-formats.md'), 'utf8');
    const touched = [...record.matchAll(/^\| `(\S+)`/gm)].flatMap(([, path]) => path ?? []);
    expect(touched.length).toBeGreaterThan(0);
    expect(touched.length).toBeLessThanOrEqual(8);
    expect(touched.filter((path) => !service.some((file) => file.path === path))).toEqual([]);
  });
});

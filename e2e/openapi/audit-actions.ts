/**
 * The entries of the event log that an operation leaves when it changes something, or why it leaves none. A request for the
 * existing state leaves none either, and one call leaves one entry of its own however many devices it affects.
 */
export interface AuditActions {
  /** `METHOD path`. */
  operations: RegExp;
  codes?: string[];
  /** Codes of entries for single devices, caused by the same request. */
  ofDevices?: string[];
  /** The test that reads the entry, if requests with random values do not produce it in the log of their account. */
  readBy?: string;
  why?: string;
}

/** The entry is in the log of the other account. */
const gatewayTest = 'apps/gateway/test/audit.int-spec.ts';

/** Needs an OpenID provider. */
const oidcTest = 'apps/gateway/test/oidc.int-spec.ts';

/** Random groups and filters mostly contain no device. */
const bulkJourney = 'e2e/bulk-suspension.ts';

const commandsHaveAHistory = 'GET /v3/device-requests has each command of the key, with its request and its result';

const asManyAsResources =
  'applications ask again after each registration of a device, for each resource: that would be most of the log';

export const auditActions: AuditActions[] = [
  { operations: /^POST \/v3\/accounts$/, codes: ['SYS_500'], readBy: gatewayTest },
  { operations: /^PUT \/v3\/accounts\/{id}$/, codes: ['SYS_501', 'SYS_502', 'SYS_503'], readBy: gatewayTest },
  { operations: /^POST \/v3\/(accounts\/{account}\/)?api-keys$/, codes: ['SYS_510'] },
  { operations: /^PUT .*\/api-keys\/{id}$/, codes: ['SYS_511', 'SYS_512', 'SYS_513'] },
  { operations: /^POST .*\/reset-secret$/, codes: ['SYS_514'] },
  { operations: /^POST .*\/rotate$/, codes: ['SYS_515'] },
  { operations: /^DELETE .*\/previous-secret$/, codes: ['SYS_516'] },
  { operations: /^DELETE .*\/api-keys\/{id}$/, codes: ['SYS_517'] },
  { operations: /^POST \/v3\/policy-groups$/, codes: ['SYS_520'] },
  { operations: /^PUT \/v3\/policy-groups\/{id}$/, codes: ['SYS_521'] },
  { operations: /^DELETE \/v3\/policy-groups\/{id}$/, codes: ['SYS_522'] },
  { operations: /^POST \/v3\/policy-groups\/{id}(\/[\w-]+(\/add)?)?$/, codes: ['SYS_523'] },
  { operations: /^POST \/v3\/(?!device).*\/groups(\/add)?$/, codes: ['SYS_523'] },
  { operations: /^POST \/v3\/policy-groups\/{id}\/[\w-]+\/remove$/, codes: ['SYS_524'] },
  { operations: /^POST .*\/groups\/remove$/, codes: ['SYS_524'] },
  { operations: /^DELETE .*({id}\/groups|policy-groups\/{id}\/[\w-]+)$/, codes: ['SYS_524'] },
  { operations: /^POST \/v3\/applications$/, codes: ['SYS_530'] },
  { operations: /^PUT \/v3\/applications\/{id}$/, codes: ['SYS_531'] },
  { operations: /^DELETE \/v3\/applications\/{id}$/, codes: ['SYS_532'] },
  { operations: /^POST .*\/access-keys$/, codes: ['SYS_533'] },
  { operations: /^PUT .*\/access-keys\/{id}$/, codes: ['SYS_534'] },
  { operations: /^DELETE .*\/access-keys\/{id}$/, codes: ['SYS_535'] },
  { operations: /^POST \/v3\/device-groups$/, codes: ['SYS_540'] },
  { operations: /^PUT \/v3\/device-groups\/{id}$/, codes: ['SYS_541'] },
  { operations: /^DELETE \/v3\/device-groups\/{id}$/, codes: ['SYS_542'] },
  { operations: /^POST \/v3\/device-groups\/{id}\/devices\/add$/, codes: ['SYS_543'] },
  { operations: /^POST \/v3\/device-groups\/{id}\/devices\/remove$/, codes: ['SYS_544'] },
  { operations: /^POST \/v3\/device-queries$/, codes: ['SYS_545'] },
  { operations: /^PUT \/v3\/device-queries\/{id}$/, codes: ['SYS_546'] },
  { operations: /^DELETE \/v3\/device-queries\/{id}$/, codes: ['SYS_547'] },
  {
    operations: /^POST \/v3\/device-suspensions$/,
    codes: ['SYS_550', 'SYS_551'],
    ofDevices: ['SYS_201', 'SYS_202'],
    readBy: bulkJourney,
  },
  { operations: /^POST \/v3\/device-imports$/, codes: ['SYS_552'], ofDevices: ['SYS_200'] },
  { operations: /^DELETE \/v3\/device-imports\/{id}$/, codes: ['SYS_553'] },
  { operations: /^POST .*\/credentials$/, codes: ['SYS_560'] },
  { operations: /^DELETE .*\/credentials\/{credentialId}$/, codes: ['SYS_561'] },
  { operations: /^POST \/v3\/trusted-certificates$/, codes: ['SYS_562'] },
  { operations: /^PUT \/v3\/trusted-certificates\/{id}$/, codes: ['SYS_563'] },
  { operations: /^DELETE \/v3\/trusted-certificates\/{id}$/, codes: ['SYS_564'] },
  { operations: /^POST \/v3\/bootstrap-profiles$/, codes: ['SYS_565'] },
  { operations: /^PUT \/v3\/bootstrap-profiles\/{id}$/, codes: ['SYS_566'] },
  { operations: /^DELETE \/v3\/bootstrap-profiles\/{id}$/, codes: ['SYS_567'] },
  // A first sign-in creates the person.
  { operations: /^PUT \/v3\/users\/{id}$/, codes: ['SYS_504', 'SYS_505'], readBy: oidcTest },
  { operations: /^POST \/v3\/users\/{id}\/sign-out$/, codes: ['SYS_506'], readBy: oidcTest },
  { operations: /^DELETE \/v3\/users\/{id}$/, codes: ['SYS_507'], readBy: oidcTest },
  { operations: /^POST \/v3\/session$/, codes: ['SYS_508'], readBy: gatewayTest },
  { operations: /^POST \/v3\/session\/oidc\/device\/token$/, codes: ['SYS_508'], readBy: oidcTest },
  { operations: /^POST \/v3\/session\/oidc\/device$/, why: 'the person has yet to sign in' },
  { operations: /^DELETE \/v3\/session$/, why: 'a session that ends changes nothing that the account has' },
  { operations: /^POST \/v3\/devices$/, codes: ['SYS_200'] },
  { operations: /^PUT \/v3\/devices\/{id}$/, codes: ['SYS_570'] },
  { operations: /^POST \/v3\/devices\/{id}\/suspend$/, codes: ['SYS_201'] },
  { operations: /^POST \/v3\/devices\/{id}\/resume$/, codes: ['SYS_202'] },
  { operations: /^DELETE \/v3\/devices\/{id}$/, codes: ['SYS_203'] },
  { operations: /^POST \/v3\/object-models$/, codes: ['SYS_571'] },
  { operations: /^DELETE \/v3\/object-models\/{id}$/, codes: ['SYS_572'] },
  { operations: /^POST \/v3\/firmware-images$/, codes: ['SYS_590'] },
  { operations: /^DELETE \/v3\/firmware-images\/{id}$/, codes: ['SYS_591'] },
  { operations: /^POST \/v3\/update-campaigns$/, codes: ['SYS_592'] },
  { operations: /^(PUT|POST) \/v3\/update-campaigns\/{id}(\/dry-run)?$/, codes: ['SYS_593'] },
  { operations: /^POST \/v3\/update-campaigns\/{id}\/start$/, codes: ['SYS_594'] },
  { operations: /^POST \/v3\/update-campaigns\/{id}\/pause$/, codes: ['SYS_595'] },
  { operations: /^POST \/v3\/update-campaigns\/{id}\/resume$/, codes: ['SYS_596'] },
  { operations: /^POST \/v3\/update-campaigns\/{id}\/abort$/, codes: ['SYS_597'] },
  { operations: /^DELETE \/v3\/update-campaigns\/{id}$/, codes: ['SYS_598'] },
  { operations: /^PUT \/v2\/notification\/\w+$/, codes: ['SYS_580', 'SYS_581'] },
  // A poll creates its channel.
  { operations: /^GET \/v2\/notification\/pull$/, codes: ['SYS_580'] },
  { operations: /^DELETE \/v2\/notification\/\w+$/, codes: ['SYS_582'] },
  { operations: /^POST .*\/signing-secrets$/, codes: ['SYS_583'] },
  { operations: /^DELETE .*\/signing-secrets\/{(id|secretId)}$/, codes: ['SYS_584'] },
  { operations: /^POST \/v3\/channels\/{id}\/test$/, why: 'changes nothing' },
  { operations: /^PUT \/v2\/subscriptions$/, codes: ['SYS_585', 'SYS_586'] },
  { operations: /^DELETE \/v2\/subscriptions$/, codes: ['SYS_586'] },
  { operations: /^DELETE \/v3\/key-subscriptions\/{id}$/, codes: ['SYS_586'] },
  { operations: /^(PUT|DELETE) \/v2\/subscriptions\/{deviceId}(\/.*)?$/, why: asManyAsResources },
  { operations: /^POST \/v2\/device-requests\/{deviceId}$/, why: commandsHaveAHistory },
  { operations: /^(PUT|POST|DELETE) \/v2\/endpoints\/.*$/, why: commandsHaveAHistory },
  { operations: /^DELETE \/v3\/device-requests\/{asyncId}$/, why: 'the history says that the command was cancelled' },
  { operations: /^DELETE \/v3\/devices\/{deviceId}\/echo$/, why: 'always 405' },
];

export const auditActionsOf = (operation: string): AuditActions[] =>
  auditActions.filter(({ operations }) => operations.test(operation));

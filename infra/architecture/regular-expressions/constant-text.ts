/** A node of SWC's syntax tree. */
export interface SyntaxNode {
  type: string;
  [member: string]: unknown;
}

/** The initial values of a file's constants, by name. */
export type Constants = ReadonlyMap<string, SyntaxNode>;

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Calls `found` with every node of a tree. */
export function visit(value: unknown, found: (node: SyntaxNode) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, found);
  } else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) found(value);
    for (const member of Object.values(value)) visit(member, found);
  }
}

/** Returns a file's `const` declarations. A name that is declared in two scopes is omitted. */
export function constantsOf(module: unknown): Constants {
  const constants = new Map<string, SyntaxNode>();
  const twice = new Set<string>();
  visit(module, (node) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return;
    for (const { id, init } of node.declarations as { id: SyntaxNode; init: unknown }[]) {
      const name = String(id.value);
      if (constants.has(name)) twice.add(name);
      if (isNode(init)) constants.set(name, init);
    }
  });
  for (const name of twice) constants.delete(name);
  return constants;
}

/**
 * Evaluates an expression that always has the same text: literals, `String.raw`, templates, concatenations, constants, and joined
 * lists of these. Undefined if it depends on anything else.
 */
export function constantText(expression: unknown, constants: Constants): string | undefined {
  if (!isNode(expression)) return undefined;
  const text = (part: unknown) => constantText(part, constants);
  switch (expression.type) {
    case 'StringLiteral':
      return String(expression.value);
    case 'Identifier':
      return text(constants.get(String(expression.value)));
    case 'ParenthesisExpression':
      return text(expression.expression);
    case 'BinaryExpression':
      return expression.operator === '+' ? together([text(expression.left), text(expression.right)]) : undefined;
    case 'TemplateLiteral':
      return templateText(expression, 'cooked', constants);
    case 'TaggedTemplateExpression':
      return isMember(expression.tag, 'raw') ? templateText(expression.template, 'raw', constants) : undefined;
    case 'CallExpression':
      return joinedText(expression, constants);
    default:
      return undefined;
  }
}

function together(parts: (string | undefined)[], separator = ''): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(separator);
}

const isMember = (callee: unknown, name: string): callee is SyntaxNode =>
  isNode(callee) && callee.type === 'MemberExpression' && (callee.property as SyntaxNode).value === name;

function templateText(template: unknown, form: 'cooked' | 'raw', constants: Constants): string | undefined {
  const { quasis, expressions } = template as { quasis: Record<string, string>[]; expressions: unknown[] };
  return together(quasis.flatMap((quasi, at) => [quasi[form], ...expressions.slice(at, at + 1).map(text)]));

  function text(part: unknown): string | undefined {
    return constantText(part, constants);
  }
}

/** Evaluates `[…].join('')`, also if the list is a constant. */
function joinedText({ callee, arguments: given }: SyntaxNode, constants: Constants): string | undefined {
  if (!isMember(callee, 'join')) return undefined;
  const { object } = callee as unknown as { object: SyntaxNode };
  const list = object.type === 'Identifier' ? constants.get(String(object.value)) : object;
  const separator = constantText((given as { expression: unknown }[])[0]?.expression, constants);
  if (list?.type !== 'ArrayExpression' || separator === undefined) return undefined;
  const items = list.elements as ({ expression: unknown } | undefined)[];
  return together(
    items.map((item) => constantText(item?.expression, constants)),
    separator,
  );
}

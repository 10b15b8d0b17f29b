// The glue of the transcoder of KTX2 makes functions of text, which needs 'unsafe-eval'. This
// plugin of Vite replaces them by closures that do the same.

const target = /basis_transcoder\.js$/;

/** Each text occurs once. Another version of the glue must be looked at again. */
const replacements = [
  [
    'var invokerFn=newFunc(Function,args)(...closureArgs);',
    'var invokerFn=portico_invoker(argTypes,isClassMethodFunc,returns,cppInvokerFunc,cppTargetFunc,needsDestructorStack?runDestructors:null);',
  ],
  ['var invokerFunction=newFunc(Function,params)(...args);', 'var invokerFunction=portico_caller(types,kind,retType,emval_returnValue);'],
];

const closures = `
function portico_invoker(types, isMethod, returns, call, target, runDestructors) {
  const inputs = types.slice(isMethod ? 1 : 2);
  return function (...given) {
    const destructors = runDestructors ? [] : null;
    const values = isMethod ? [this, ...given] : given;
    const wired = inputs.map((type, i) => type.toWireType(destructors, values[i]));
    const result = call(target, ...wired);
    if (runDestructors) runDestructors(destructors);
    else inputs.forEach((type, i) => type.destructorFunction?.(wired[i]));
    return returns ? types[0].fromWireType(result) : undefined;
  };
}
function portico_caller(types, kind, retType, returnValue) {
  return (object, func, destructors, packed) => {
    const values = [];
    let offset = 0;
    for (const type of types) {
      values.push(type.readValueFromPointer(packed + offset));
      offset += type.argPackAdvance;
    }
    const result = kind === 1 ? new func(...values) : kind === 0 ? func.call(object, ...values) : func.call(...values);
    return retType.isVoid ? undefined : returnValue(retType, destructors, result);
  };
}
`;

export function closuresForText() {
  return {
    name: 'closures-for-text',
    transform(code, id) {
      if (!target.test(id)) return null;
      let changed = code;
      for (const [text, closure] of replacements) {
        if (changed.split(text).length !== 2) throw new Error(`${id} does not have once: ${text}`);
        changed = changed.replace(text, closure);
      }
      return { code: changed + closures, map: null };
    },
  };
}

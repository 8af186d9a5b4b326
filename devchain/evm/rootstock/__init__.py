"""Rootstock's execution rules on py-evm: virtual machines, opcodes, gas, precompiled contracts.

py-evm implements Ethereum's hardforks; this package configures and subclasses its virtual machine
where Rootstock differs. Blocks, mining and the distribution of fees are not here but in `chain`;
compiled execution is in `evm.compiler`. Entry points: `vm.upgrade_vm(name)` returns the virtual
machine of a network upgrade, `upgrades` lists the upgrades without loading py-evm.
"""

package dev.lockstep.launcher;

import java.nio.file.Path;

/** A program of its own that launches a target, prints its process id and waits to be killed. */
final class TestingLockstep {
    private TestingLockstep() {}

    public static void main(String[] args) throws Exception {
        TargetLauncher launcher = TargetLauncher.open(JvmInventory.discover(TestingTargets.GRAAL_JARS));
        TargetProcess target = launcher.launch(
                TestingTargets.spec("c2"),
                TestingTargets.settings("serve", Path.of(args[0])).build());
        System.out.println(target.pid().orElseThrow());
        Thread.sleep(600_000);
    }
}
